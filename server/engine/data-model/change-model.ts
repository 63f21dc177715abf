/**
 * Changes a data model. One transaction at a time per workspace reads the newest model, changes it, increments its
 * version and notifies all processes. It waits only briefly for the lock of a table: while a lock request waits behind
 * a long query, all other statements on the table wait behind the request.
 */

import type { Kysely } from 'kysely'
import type { Database, Transaction } from '#db/connect'
import type { DB } from '#db/schema'
import type { RequestContext } from '#context'
import { workspaceNotFound } from '#base/errors/access'
import { isTransactionConflict } from '#base/errors/database'
import { serviceUnavailable, workspaceIsMoving } from '#base/errors/http'
import { DATA_MODEL_CHANNEL } from './cache'
import { controlQueriesIn, equal, notify } from './kysely-in-transaction'
import { loadDataModel } from './load'
import { modelOfMember } from './access/member-model'
import type { DataModel, EntityType } from './model'
import { workspaceSchemaName } from './names'
import { MODEL_TABLE } from './tables'

/**
 * The notification channel of a change that finds its table in use. It interrupts index builds. The payload is the
 * workspace's id.
 */
export const TABLE_NEEDED_CHANNEL = 'relata_table_needed'

const LOCK_TIMEOUT_MS = 50
const RETRY_AFTER_MS = 250
const GIVE_UP_AFTER_MS = 30_000
/** By then, an index build has ended that heard of the change. */
const EXPECT_VACUUM_AFTER_MS = 1000
/** The longest time for which other statements on a table wait behind a change that ends its vacuum. */
const MAX_VACUUM_TIMEOUT_MS = 5000

export interface ModelChange {
  readonly tx: Transaction
  /** The query builder for control tables, in the same transaction. */
  readonly control: Kysely<DB>
  /** The newest model. A lock prevents other changes until the end of the transaction. */
  readonly model: DataModel
}

/** Runs a change in one transaction, and retries it when a table is in use. Throws 503 when the table stays in use. */
export async function changeWorkspaceModel<T>(
  db: Database,
  workspaceId: string,
  change: (step: ModelChange) => Promise<T>,
): Promise<T> {
  const begun = performance.now()
  for (let lockTimeoutMs = LOCK_TIMEOUT_MS; ;) {
    try {
      return await changeOnce(db, workspaceId, { change, lockTimeoutMs })
    } catch (error) {
      if (!isTransactionConflict(error)) throw error
      const tried = performance.now() - begun
      if (tried > GIVE_UP_AFTER_MS) throw serviceUnavailable(new Date(Date.now() + 1000))
      await db.sql.notify(TABLE_NEEDED_CHANNEL, workspaceId)
      await Bun.sleep(RETRY_AFTER_MS)
      if (tried > EXPECT_VACUUM_AFTER_MS) lockTimeoutMs = await findLockTimeout(db, workspaceId)
    }
  }
}

/**
 * PostgreSQL cancels an automatic vacuum for which a lock has waited as long as `deadlock_timeout`. So while there may be a vacuum of one of the
 * tables, a lock waits a little longer than that.
 */
async function findLockTimeout(db: Database, workspaceId: string): Promise<number> {
  const workspace = await db.control
    .selectFrom('relata.workspaces')
    .select('number')
    .where('id', '=', workspaceId)
    .executeTakeFirst()
  const [row] = await db.sql<{ deadlock_ms: number }[]>`
    select setting::int as deadlock_ms from pg_settings where name = 'deadlock_timeout' and exists (
      select from pg_locks l join pg_class c on c.oid = l.relation
      where l.granted and l.mode = 'ShareUpdateExclusiveLock'
        and c.relnamespace = to_regnamespace(${workspaceSchemaName(workspace?.number ?? 0)})
        and l.database = (select oid from pg_database where datname = current_database()))`
  return row === undefined ? LOCK_TIMEOUT_MS : Math.min(row.deadlock_ms + 500, MAX_VACUUM_TIMEOUT_MS)
}

interface Attempt<T> {
  readonly change: (step: ModelChange) => Promise<T>
  readonly lockTimeoutMs: number
}

/** Changes the model of a request's workspace, as the member sees it. Returns the result of the change, and the new model. */
export async function changeModel<T>(
  context: RequestContext,
  change: (step: ModelChange) => Promise<T>,
): Promise<{ changed: T; model: DataModel }> {
  const changed = await changeWorkspaceModel(context.db, context.model.workspace.id, (step) =>
    change({ ...step, model: modelOfMember(step.model, context.memberId) }),
  )
  return { changed, model: await context.reloadModel() }
}

async function changeOnce<T>(db: Database, workspaceId: string, { change, lockTimeoutMs }: Attempt<T>): Promise<T> {
  const changed = await db.sql.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    await tx`set local lock_timeout = ${tx.unsafe(`'${GIVE_UP_AFTER_MS}ms'`)}`
    const found = await control
      .selectFrom('relata.workspaces')
      .select('moved_to')
      .where('id', '=', workspaceId)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (typeof found?.moved_to === 'string') throw workspaceIsMoving()
    await tx`set local lock_timeout = ${tx.unsafe(`'${lockTimeoutMs}ms'`)}`
    const result = await change({ tx, control, model: await loadDataModel(tx, workspaceId) })
    await notifyModelChange(tx, workspaceId)
    return { result }
  })
  return (changed as { result: T }).result // the driver's type for the callback's result is wider
}

/**
 * Increments the version of a workspace's data model, and notifies all processes when the transaction commits. Loading reads the
 * version of the control tables, and writes of entities compare it with the one in the workspace's schema. That one is negative while the
 * workspace moves to another service, so that every write of entities is refused.
 */
export async function notifyModelChange(tx: Transaction, workspaceId: string): Promise<void> {
  const row = await controlQueriesIn(tx)
    .updateTable('relata.workspaces')
    .set(({ eb }) => ({ data_model_version: eb('data_model_version', '+', 1) }))
    .where('id', '=', workspaceId)
    .returning(['number', 'data_model_version as version', 'moved_to'])
    .executeTakeFirst()
  if (!row) throw workspaceNotFound(workspaceId)
  await tx.unsafe(`update ${workspaceSchemaName(row.number)}.${MODEL_TABLE.name} set version = $1`, [
    row.moved_to === null ? row.version : -row.version,
  ])
  await notify(tx, DATA_MODEL_CHANNEL, workspaceId)
}

/** Notes that an entity type gets its first entity. A write with the data model before it starts again. */
export async function markUsed(db: Database, workspaceId: string, entityTypeId: string): Promise<void> {
  await db.sql.begin(async (tx) => {
    // It locks the row of the workspace first, as every change of the data model does.
    await notifyModelChange(tx, workspaceId)
    await controlQueriesIn(tx)
      .updateTable('relata.entity_types')
      .set({ is_used: true })
      .where(equal({ workspace_id: workspaceId, id: entityTypeId }))
      .execute()
  })
}

/** Waits for running writes of an entity type's entities, and blocks new ones until the transaction ends. */
export const blockEntityWrites = async (tx: Transaction, entityType: EntityType): Promise<void> => {
  await tx.unsafe(`lock table ${entityType.table} in share row exclusive mode`)
}

/** Allocates `count` numbers for entity types, attributes, options or actors of a workspace. Returns the first. */
export async function allocateNumbers(tx: Transaction, workspaceId: string, count: number): Promise<number> {
  const row = await controlQueriesIn(tx)
    .updateTable('relata.workspaces')
    .set(({ eb }) => ({ last_number: eb('last_number', '+', count) }))
    .where('id', '=', workspaceId)
    .returning('last_number')
    .executeTakeFirst()
  if (!row) throw new Error(`There is no workspace ${workspaceId}.`)
  return row.last_number - count + 1
}

/**
 * Waits for the writes of entities that run, one entity type after the other. Later ones see what committed before the call, such as the
 * version of the data model.
 */
export async function waitForEntityWrites(db: Database, workspaceId: string): Promise<void> {
  const { entityTypes } = await loadDataModel(db, workspaceId)
  for (const { table } of entityTypes) await db.sql.begin((tx) => tx.unsafe(`lock table ${table} in share mode`))
}
