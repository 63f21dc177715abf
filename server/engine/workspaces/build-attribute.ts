/** Completes the specification of an attribute or option with defaults. */

import type { Attribute } from '#engine/data-model/model'
import { newId } from '#base/ids'

/** The properties of an attribute that differ from the defaults. */
export type AttributeSpec = Pick<Attribute, 'title' | 'api_slug' | 'type'> & Partial<Attribute>

/** By default, an attribute is custom, optional and has one value. */
export const buildAttribute = (
  spec: AttributeSpec,
  place: Pick<Attribute, 'entity_type_id' | 'number' | 'created_at'>,
): Attribute => ({
  id: newId(),
  description: null,
  is_system_attribute: false,
  is_writable: true,
  is_required: false,
  is_unique: false,
  is_multiselect: false,
  is_default_value_enabled: spec.default_value != null,
  is_archived: false,
  has_history: true,
  default_value: null,
  config: {},
  stored_in: 'columns',
  relationship_attribute_id: null,
  options: [],
  ...spec,
  ...place,
})

export const buildOption = (number: number, title: string): Attribute['options'][number] => ({
  id: newId(),
  number,
  title,
  is_archived: false,
  celebration_enabled: false,
  target_time_in_status: null,
  color: null,
})

/**
 * Returns whether the first side of a relationship stores the references. The side with one value does; if both or neither
 * have one value, the side that was created first does.
 */
export const isStoringSide = (
  first: Pick<Attribute, 'is_multiselect'>,
  second: Pick<Attribute, 'is_multiselect'>,
): boolean => !first.is_multiselect || second.is_multiselect
