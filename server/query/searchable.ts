/** Which attributes of an owner can be searched. Spec: query 3 and 4, standard-objects 2. */

import { closest, findAttribute, visibleAttributes } from '../data-model/find'
import type { Attribute, DataModel, Owner } from '../data-model/model'

/** One that is visible, or reads the holder's own columns, such as `updated_at`; of lists also `parent_record`. */
export function findSearchable(model: DataModel, owner: Owner, slugOrId: string): Attribute | undefined {
  const attribute = findAttribute(owner, slugOrId)
  if (!attribute) return owner.kind === 'list' && slugOrId === PARENT_RECORD ? parentRecordOf(owner) : undefined
  if (attribute.is_archived) return undefined
  return attribute.stored_in === 'holder' || visibleAttributes(model, owner).includes(attribute) ? attribute : undefined
}

/** What a word that names no attribute was probably meant to be. */
export const closestSearchable = (model: DataModel, owner: Owner, word: string): string | undefined =>
  closest(
    word,
    visibleAttributes(model, owner).map(({ api_slug }) => api_slug),
  )

const PARENT_RECORD = 'parent_record'

/** The record an entry stands for, as if it were a value of the entry. */
const parentRecordOf = ({ id, created_at }: Owner): Attribute => ({
  id,
  number: 0,
  owner_id: id,
  title: 'Parent record',
  description: null,
  api_slug: PARENT_RECORD,
  type: 'record-reference',
  is_system_attribute: true,
  is_writable: false,
  is_required: true,
  is_unique: false,
  is_multiselect: false,
  is_default_value_enabled: false,
  is_archived: false,
  has_history: false,
  default_value: null,
  config: {},
  stored_in: 'holder',
  relationship_attribute_id: null,
  created_at,
  options: [],
})
