/** The message after a deletion of records, which offers to undo it, and what dialogs say about it. */

import type { RecordTypePath } from '../../../api/data-model/attributes'
import { restoreRecord } from '../../../api/records/trash'
import { session } from '../../../state/session.svelte'
import { toasts } from '../../../state/toasts.svelte'

const CONCURRENCY = 4

export interface DeletedRecords {
  readonly type: RecordTypePath
  readonly ids: readonly string[]
  /** Says what was deleted. */
  readonly text: string
  /** Gets the ids of the restored records. */
  readonly onrestored?: (ids: readonly string[]) => unknown
}

const trashDays = (): number => session.state?.trash_days ?? 0

export const hasTrash = (): boolean => trashDays() > 0

/** The end of a warning before a deletion. `what` is what can be restored. */
export const recoveryText = (what: string): string => {
  if (!hasTrash()) return "This can't be undone."
  const days = trashDays() === 1 ? '1 day' : `${trashDays()} days`
  return `You can restore ${what} from the trash for ${days}.`
}

export function showDeleted(deleted: DeletedRecords): void {
  if (!hasTrash()) toasts.show(deleted.text)
  else toasts.show(deleted.text, { label: 'Undo', act: () => undo(deleted) })
}

async function undo({ type, ids, onrestored }: DeletedRecords): Promise<void> {
  const { restored, refusal } = await restoreMany(type, ids)
  if (restored.length > 0) await onrestored?.(restored)
  if (refusal === undefined) toasts.show('Deletion undone')
  else toasts.fail(refusal)
}

/** Restores what can be restored. Returns the first refusal, too. */
export async function restoreMany(
  type: RecordTypePath,
  ids: readonly string[],
): Promise<{ readonly restored: readonly string[]; readonly refusal: unknown }> {
  const left = [...ids]
  const restored: string[] = []
  let refusal: unknown
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await restoreRecord(type, id)
        restored.push(id)
      } catch (error) {
        refusal ??= error
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return { restored, refusal }
}
