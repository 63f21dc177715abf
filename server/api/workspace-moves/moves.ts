/**
 * The states of a workspace that moves to another service: it can only be read while it is copied, and answers with the new address
 * afterwards. See docs/decisions/moves-of-workspaces.md.
 */

import { notifyTokenChanges } from '#api/workspace-deletion/deletion'
import { workspaceNotFound } from '#base/errors/access'
import type { Database, Transaction } from '#db/connect'
import { notifyModelChange, waitForEntityWrites } from '#engine/data-model/change-model'
import { controlQueriesIn, lockName } from '#engine/data-model/kysely-in-transaction'

/** The seed of the lock that writes of control tables hold until they end, as in `relata.refuse_writes_while_moving`. */
const LOCK_OF_WRITES = 2

/**
 * Refuses all later writes of the workspace. Every write that had begun has ended when it resolves. Returns the address to which the
 * workspace moves, which is an earlier one if its move had begun already.
 */
export async function beginMove(db: Database, workspaceId: string, address: string): Promise<string> {
  const begun = await storeAddress(db, workspaceId, address)
  await waitForEntityWrites(db, workspaceId)
  return begun
}

function storeAddress(db: Database, workspaceId: string, address: string): Promise<string> {
  return db.sql.begin(async (tx) => {
    // Waits for the writes of control tables.
    await lockName(tx, workspaceId, LOCK_OF_WRITES)
    const found = await findMovable(tx, workspaceId)
    if (found.moved_to !== null) return found.moved_to
    await setAddress(tx, workspaceId, address)
    return address
  }) as Promise<string> // the driver's type for the callback's result is wider
}

/** The workspace can be written again. Returns whether it was moving. */
export function cancelMove(db: Database, workspaceId: string): Promise<boolean> {
  return db.sql.begin(async (tx) => {
    const { moved_to } = await findMovable(tx, workspaceId)
    if (moved_to !== null) await setAddress(tx, workspaceId, null)
    return moved_to !== null
  }) as Promise<boolean> // the driver's type for the callback's result is wider
}

/** Throws 404 for a workspace that is deleted or has moved. */
async function findMovable(tx: Transaction, workspaceId: string): Promise<{ readonly moved_to: string | null }> {
  const found = await controlQueriesIn(tx)
    .selectFrom('relata.workspaces')
    .select('moved_to')
    .where('id', '=', workspaceId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (found === undefined) throw workspaceNotFound(workspaceId)
  return found
}

/** All processes read the data model and the tokens of the workspace again. */
async function setAddress(tx: Transaction, workspaceId: string, moved_to: string | null): Promise<void> {
  await controlQueriesIn(tx).updateTable('relata.workspaces').set({ moved_to }).where('id', '=', workspaceId).execute()
  await notifyModelChange(tx, workspaceId)
  await notifyTokenChanges(tx, workspaceId)
}
