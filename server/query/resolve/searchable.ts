/** Which attributes of an owner can be searched. Spec: query 3 and 4, standard-objects 2. */

import { closest, findAttribute, visibleAttributes } from '../../data-model/find'
import type { Attribute, DataModel, Owner } from '../../data-model/model'

/** One that is visible, or reads the holder's own columns, such as `updated_at`. */
export function findSearchable(model: DataModel, owner: Owner, slugOrId: string): Attribute | undefined {
  const attribute = findAttribute(owner, slugOrId)
  if (!attribute || attribute.is_archived) return undefined
  return attribute.stored_in === 'holder' || visibleAttributes(model, owner).includes(attribute) ? attribute : undefined
}

/** What a word that names no attribute was probably meant to be. */
export const closestSearchable = (model: DataModel, owner: Owner, word: string): string | undefined =>
  closest(
    word,
    visibleAttributes(model, owner).map(({ api_slug }) => api_slug),
  )
