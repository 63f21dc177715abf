/** The attributes every object has, before and after its others. Spec: standard-objects 2. */

import type { AttributeSpec } from './new-attribute'

const HOLDERS_OWN = { is_system_attribute: true, is_writable: false, stored_in: 'holder' } as const

export const RECORD_ID: AttributeSpec = {
  title: 'Record ID',
  api_slug: 'record_id',
  type: 'text',
  is_unique: true,
  ...HOLDERS_OWN,
}

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
