/** Which default value an attribute gives to new records and entries. See docs/reference/objects-and-attributes.md (Default values). */

import type { Attribute, DefaultValue } from './model'

/** Always true on a required attribute, whether it has a default value or not. */
export const isDefaultEnabled = ({
  is_required,
  is_default_value_enabled,
}: Pick<Attribute, 'is_required' | 'is_default_value_enabled'>): boolean => is_required || is_default_value_enabled

/** Null where there is none or it is not enabled. */
export const enabledDefault = (attribute: Attribute): DefaultValue | null =>
  isDefaultEnabled(attribute) ? attribute.default_value : null
