/** The system attributes of objects and lists. See docs/reference/objects-and-attributes.md (System attributes). */

import type { AttributeSpec } from './build-attribute'

const STORED_IN_ENTITY = { is_system_attribute: true, is_writable: false, stored_in: 'entity' } as const

export const RECORD_ID_ATTRIBUTE: AttributeSpec = {
  title: 'Record ID',
  api_slug: 'record_id',
  type: 'text',
  is_unique: true,
  ...STORED_IN_ENTITY,
}

/** The first attributes of a list whose entries represent records of the object. `CREATION` follows them. */
export const entrySystemAttributes = (parentObjectId: string): readonly AttributeSpec[] => [
  { title: 'Entry ID', api_slug: 'entry_id', type: 'text', is_unique: true, ...STORED_IN_ENTITY },
  {
    title: 'Parent record',
    api_slug: 'parent_record',
    type: 'record-reference',
    is_required: true,
    config: { record_reference: { allowed_object_ids: [parentObjectId] } },
    ...STORED_IN_ENTITY,
  },
]

export const CREATION_ATTRIBUTES: readonly AttributeSpec[] = [
  {
    title: 'Created at',
    api_slug: 'created_at',
    type: 'timestamp',
    default_value: { type: 'dynamic', template: 'PT0S' },
    ...STORED_IN_ENTITY,
  },
  {
    title: 'Created by',
    api_slug: 'created_by',
    type: 'actor-reference',
    default_value: { type: 'dynamic', template: 'current-user' },
    ...STORED_IN_ENTITY,
  },
]
