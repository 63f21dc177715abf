/** Deletes records or entries, a few at a time. Ones that were deleted before count as deleted. */

import type { EntityTypePath } from '../../../api/data-model/attributes'
import { ApiError } from '../../../api/errors'
import { deleteEntity } from '../../../api/records/entities'

const CONCURRENCY = 4

export interface Deletion {
  readonly deleted: ReadonlySet<string>
  /** Why some could not be deleted. */
  readonly error: ApiError | undefined
}

export async function deleteMany(entityType: EntityTypePath, ids: readonly string[]): Promise<Deletion> {
  const left = [...ids]
  const deleted = new Set<string>()
  let error: ApiError | undefined
  const work = async () => {
    for (let id = left.shift(); id !== undefined && error === undefined; id = left.shift()) {
      try {
        await deleteEntity(entityType, id)
      } catch (refusal) {
        if (!(refusal instanceof ApiError)) throw refusal
        if (!refusal.isNotFound) {
          error = refusal
          return
        }
      }
      deleted.add(id)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return { deleted, error }
}
