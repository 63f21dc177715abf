/** Deletes records or entries in batches. Ones that were deleted before count as deleted. */

import type { EntityTypePath } from '../../../api/data-model/attributes'
import { toApiError } from '../../../api/errors'
import { writeBatch } from '../../../api/records/bulk'
import { inBatches } from '../../../state/bulk-runs.svelte'

export interface Deletion {
  readonly deleted: ReadonlySet<string>
  /** Why some could not be deleted. */
  readonly error: Error | undefined
}

export async function deleteMany(entityType: EntityTypePath, ids: readonly string[]): Promise<Deletion> {
  const deleted = new Set<string>()
  try {
    for (const batch of inBatches(ids)) {
      const { done, refusals } = await writeBatch(entityType, batch, { op: 'delete' })
      for (const id of done) deleted.add(id)
      if (refusals[0] !== undefined) return { deleted, error: new Error(refusals[0]) }
    }
  } catch (error) {
    return { deleted, error: toApiError(error) }
  }
  return { deleted, error: undefined }
}
