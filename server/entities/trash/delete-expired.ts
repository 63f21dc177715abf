/** Deletes records that have been in the trash for long enough. See docs/reference/trash.md. */

import type { Database, Transaction } from '../../../db/connect'
import { releaseTrashedFiles } from '../../attachments/trashed-attachments'
import { loadDataModel } from '../../data-model/load'
import { deleteFromTrash, lockExpired } from '../../storage/trash/purge'
import { type Micros, timestampFromMicros } from '../../timing/clock'

/** Deletes a batch of one workspace. Returns false if no workspace has expired records, or other processes delete them. */
export async function deleteExpiredTrash(db: Database, now: Micros, batchSize: number): Promise<boolean> {
  const isFound = await db.sql.begin(async (tx) => {
    const [due] = await tx<{ workspace_id: string; due_at: string }[]>`
      select workspace_id, due_at from relata.trash_expiries where due_at <= ${timestampFromMicros(now)}
      order by due_at limit 1 for update skip locked`
    if (due === undefined) return false
    const deleted = await deleteBatch(tx, due.workspace_id, now, batchSize)
    if (deleted < batchSize)
      await tx`delete from relata.trash_expiries where workspace_id = ${due.workspace_id} and due_at = ${due.due_at}`
    return true
  })
  return isFound === true
}

async function deleteBatch(tx: Transaction, workspaceId: string, now: Micros, batchSize: number): Promise<number> {
  const model = await loadDataModel(tx, workspaceId)
  const expired = await lockExpired(tx, model, now, batchSize)
  const byObject = Map.groupBy(expired, ({ object }) => object)
  for (const [number, records] of byObject) {
    const object = model.entityTypesByNumber.get(number)
    const ids = records.map(({ id }) => id)
    if (object?.kind === 'object') await deleteFromTrash(tx, model, object, ids)
    await releaseTrashedFiles(tx, workspaceId, ids)
  }
  return expired.length
}
