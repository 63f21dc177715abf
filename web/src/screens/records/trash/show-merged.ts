/** The message after a merge, which offers to undo it. See docs/reference/trash.md (Merged records). */

import { readEntities } from '../../../api/records/entities'
import { restoreRecord } from '../../../api/records/trash'
import { deleteEntity } from '../../../api/records/write-entities'
import { loadAttributes } from '../../../state/attributes.svelte'
import { toasts } from '../../../state/toasts.svelte'
import { hasTrash } from './show-deleted'

export interface MergedRecords {
  readonly slug: string
  /** The record that the merge made. */
  readonly mergedId: string
  readonly originals: readonly string[]
  /** Says what was merged. */
  readonly text: string
  readonly onundone: () => unknown
}

export function showMerged(merged: MergedRecords): void {
  if (!hasTrash()) toasts.show(merged.text)
  else toasts.show(merged.text, { label: 'Undo', act: () => undo(merged) })
}

/** Restores the originals, which take back what the merge moved, and deletes the record that the merge made. */
async function undo({ slug, mergedId, originals, onundone }: MergedRecords): Promise<void> {
  try {
    // One after the other, because both take back from the same record.
    for (const id of originals) await restoreRecord({ kind: 'objects', slug }, id)
    const isDeleted = await deleteIfEmpty(slug, mergedId)
    await onundone()
    toasts.show(isDeleted ? 'Merge undone' : 'Merge undone. The merged record stays with what was written to it since.')
  } catch (error) {
    toasts.fail(error)
  }
}

/** A value that was written after the merge keeps the merged record. Returns false then. */
async function deleteIfEmpty(slug: string, id: string): Promise<boolean> {
  const entityType = { kind: 'objects', slug } as const
  const [attributes, [merged]] = await Promise.all([loadAttributes(entityType), readEntities(entityType, [id])])
  if (merged === undefined) return true
  const hasValues = attributes.some(
    ({ api_slug, is_writable }) => is_writable && (merged.values[api_slug] ?? []).length > 0,
  )
  if (hasValues) return false
  await deleteEntity(entityType, id)
  return true
}
