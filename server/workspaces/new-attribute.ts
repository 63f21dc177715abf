/** Attributes in the making: what is said of one, and the whole that comes of it. */

import type { Attribute } from '../data-model/model'
import { newId } from '../ids'

/** What is particular about an attribute; everything else is as usual. */
export type AttributeSpec = Pick<Attribute, 'title' | 'api_slug' | 'type'> & Partial<Attribute>

/** A custom attribute, optional and single, unless its spec says otherwise. */
export const newAttribute = (
  spec: AttributeSpec,
  place: Pick<Attribute, 'owner_id' | 'number' | 'created_at'>,
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

/** An option that is neither archived nor celebrated. */
export const newOption = (number: number, title: string): Attribute['options'][number] => ({
  id: newId(),
  number,
  title,
  is_archived: false,
  celebration_enabled: false,
  target_time_in_status: null,
})

/**
 * Whether the first of two sides of a relationship holds its references: the side with one value does; when both or
 * neither have one, the side created first.
 */
export const storesReference = (
  first: Pick<Attribute, 'is_multiselect'>,
  second: Pick<Attribute, 'is_multiselect'>,
): boolean => !first.is_multiselect || second.is_multiselect
