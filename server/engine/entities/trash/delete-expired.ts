/** Deletes records that have been in the trash for long enough. See docs/reference/trash.md. */

import { controlQueriesIn, ofLiveWorkspace, equal } from '#engine/data-model/kysely-in-transaction'
import type { Database, Transaction } from '#db/connect'
import { wholeModel } from '#engine/data-model/access/member-model'
import { loadDataModel } from '#engine/data-model/load'
import { hasRecords } from '#engine/data-model/model'
import { deleteFromTrash, lockExpired } from '#engine/storage/trash/purge'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { eraseWith, type PrepareErasure } from '#engine/entities/write/delete-entity'
import { lockWrites } from '#engine/entities/write/retry-on-conflict'

interface Expiry {
  readonly now: Micros
  readonly batchSize: number
  readonly prepareErasure: PrepareErasure
}

/** Deletes a batch of one workspace. Returns false if no workspace has expired records, or other processes delete them. */
export async function deleteExpiredTrash(db: Database, expiry: Expiry): Promise<boolean> {
  const isFound = await db.sql.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    const due = await control
      .selectFrom('relata.trash_expiries')
      .select(['workspace_id', 'due_at'])
      .where('due_at', '<=', timestampFromMicros(expiry.now))
      .where(ofLiveWorkspace('workspace_id'))
      .orderBy('due_at')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (due === undefined) return false
    const deleted = await deleteBatch(tx, due.workspace_id, expiry)
    if (deleted < expiry.batchSize)
      await control
        .deleteFrom('relata.trash_expiries')
        .where(equal({ workspace_id: due.workspace_id, due_at: due.due_at }))
        .execute()
    return true
  })
  return isFound === true
}

async function deleteBatch(
  tx: Transaction,
  workspaceId: string,
  { now, batchSize, prepareErasure }: Expiry,
): Promise<number> {
  // An erasure locks meetings and emails, in an order other than that of a deletion.
  await lockWrites(tx, workspaceId)
  const model = wholeModel(await loadDataModel(tx, workspaceId))
  const expired = await lockExpired(tx, model, now, batchSize)
  if (expired.length === 0) return 0
  await eraseWith(prepareErasure, { tx, model, ids: expired.map(({ id }) => id) }, async () => {
    for (const [number, records] of Map.groupBy(expired, ({ object }) => object)) {
      const object = model.entityTypesByNumber.get(number)
      const ids = records.map(({ id }) => id)
      if (object && hasRecords(object)) await deleteFromTrash(tx, model, object, ids)
    }
  })
  return expired.length
}
