/**
 * Changing a data model: one transaction at a time per workspace, which sees the newest model, raises its version and
 * tells every process. Tables are locked only when that is possible at once: a lock that waits behind a long query
 * would make everyone else wait behind it.
 */

import type { Kysely } from 'kysely'
import type { Database, Transaction } from '../../db/connect'
import type { DB } from '../../db/schema'
import type { Call } from '../call'
import { unavailable } from '../errors'
import { controlIn } from './control'
import { loadDataModel } from './load'
import type { DataModel, Owner } from './model'

/** The channel on which processes tell each other whose data model changed: the workspace's id. */
export const DATA_MODEL_CHANNEL = 'relata_data_model'

/** The channel on which a change that finds its table in use says so: the workspace's id. Builders of indexes give way. */
export const TABLE_NEEDED_CHANNEL = 'relata_table_needed'

const LOCK_TIMEOUT = '50ms'
const RETRY_AFTER_MS = 250
const GIVE_UP_AFTER_MS = 30_000
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

export interface ModelChange {
  readonly tx: Transaction
  /** Control tables, within the same transaction. */
  readonly control: Kysely<DB>
  /** The newest model; no one else changes it meanwhile. */
  readonly model: DataModel
}

/** Runs a change whole or not at all, again when a table was in use. Throws 503 when tables stay in use. */
export async function changeDataModel<T>(
  db: Database,
  workspaceId: string,
  change: (step: ModelChange) => Promise<T>,
): Promise<T> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS
  for (;;) {
    try {
      return await changeOnce(db, workspaceId, change)
    } catch (error) {
      if (!isLockConflict(error)) throw error
      if (performance.now() > giveUpAt) throw unavailable(new Date(Date.now() + 1000))
      await db.sql.notify(TABLE_NEEDED_CHANNEL, workspaceId)
      await Bun.sleep(RETRY_AFTER_MS)
    }
  }
}

/** Changes the model of a call's workspace; gives what the change gave, and the model that came of it. */
export async function changeModel<T>(
  call: Call,
  change: (step: ModelChange) => Promise<T>,
): Promise<{ changed: T; model: DataModel }> {
  const changed = await changeDataModel(call.db, call.model.workspace.id, change)
  return { changed, model: await call.reloadModel() }
}

async function changeOnce<T>(db: Database, workspaceId: string, change: (step: ModelChange) => Promise<T>): Promise<T> {
  const changed = await db.sql.begin(async (tx) => {
    await tx`set local lock_timeout = ${tx.unsafe(`'${GIVE_UP_AFTER_MS}ms'`)}`
    await tx`select 1 from relata.workspaces where id = ${workspaceId} for no key update`
    await tx`set local lock_timeout = ${tx.unsafe(`'${LOCK_TIMEOUT}'`)}`
    const result = await change({ tx, control: controlIn(tx), model: await loadDataModel(tx, workspaceId) })
    await announceChange(tx, workspaceId)
    return { result }
  })
  return (changed as { result: T }).result // what the function above returned
}

/** Raises the version of a workspace's data model and tells every process when the transaction commits. */
export async function announceChange(tx: Transaction, workspaceId: string): Promise<void> {
  await tx`update relata.workspaces set data_model_version = data_model_version + 1 where id = ${workspaceId}`
  await tx`select pg_notify(${DATA_MODEL_CHANNEL}, ${workspaceId})`
}

/** Keeps writes to an owner's holders out until the change is done; those already running finish first. */
export const lockHolders = async (tx: Transaction, owner: Owner): Promise<void> => {
  await tx.unsafe(`lock table ${owner.table} in share row exclusive mode`)
}

/** The first of `count` new numbers for owners, attributes, options or actors of a workspace. */
export async function allocateNumbers(tx: Transaction, workspaceId: string, count: number): Promise<number> {
  const [row] = await tx<{ last_number: number }[]>`
    update relata.workspaces set last_number = last_number + ${count} where id = ${workspaceId} returning last_number`
  if (!row) throw new Error(`There is no workspace ${workspaceId}.`)
  return row.last_number - count + 1
}

const isLockConflict = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === LOCK_NOT_AVAILABLE || error.code === DEADLOCK)
