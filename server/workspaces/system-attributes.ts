/** The attributes every object has, before and after its others, and those of lists. Spec: standard-objects 2 and 10. */

import type { AttributeSpec } from './new-attribute'

const HOLDERS_OWN = { is_system_attribute: true, is_writable: false, stored_in: 'holder' } as const

export const RECORD_ID: AttributeSpec = {
  title: 'Record ID',
  api_slug: 'record_id',
  type: 'text',
  is_unique: true,
  ...HOLDERS_OWN,
}

/** The first attributes of a list whose entries stand for records of the object; `CREATION` follows. */
export const entryAttributes = (parentObjectId: string): readonly AttributeSpec[] => [
  { title: 'Entry ID', api_slug: 'entry_id', type: 'text', is_unique: true, ...HOLDERS_OWN },
  {
    title: 'Parent record',
    api_slug: 'parent_record',
    type: 'record-reference',
    is_required: true,
    config: { record_reference: { allowed_object_ids: [parentObjectId] } },
    ...HOLDERS_OWN,
  },
]

export const CREATION: readonly AttributeSpec[] = [
  {
    title: 'Created at',
    api_slug: 'created_at',
    type: 'timestamp',
    default_value: { type: 'dynamic', template: 'PT0S' },
    ...HOLDERS_OWN,
  },
  {
    title: 'Created by',
    api_slug: 'created_by',
    type: 'actor-reference',
    default_value: { type: 'dynamic', template: 'current-user' },
    ...HOLDERS_OWN,
  },
]
