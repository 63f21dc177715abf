/**
 * Retries a write that conflicts with a change of the data model or with another writer of the same rows. Writes do not lock
 * first: they read, compute, and write in one statement, which writes nothing if anything changed since they read it.
 */

import { lockName } from '#engine/data-model/kysely-in-transaction'
import type { RequestContext } from '#context'
import { markUsed } from '#engine/data-model/change-model'
import { ModelVersionConflict, SYSTEM_ACTOR, UnusedEntityType } from '#engine/data-model/model'
import { ApiError } from '#base/errors/api-error'
import { isTransactionConflict, namesUndefinedObject } from '#base/errors/database'
import { serviceUnavailable } from '#base/errors/http'
import { logError } from '#base/logging/log-error'
import { holdModel, isModelCurrent, VersionConflict } from '#engine/storage/preconditions'
import { findConflict, UniqueKeyConflict } from '#engine/storage/unique-keys'
import type { Transaction } from '#db/connect'
import { asOutboxWriter } from '#engine/outbox/outbox'

const MAX_TRIES = 12
/** From this try on, a write locks rows before it reads them, so that other writers cannot starve it. */
const FIRST_LOCKING_TRY = 3

/** How one try of a write works. */
export interface WriteTry {
  /** Whether it locks the rows that it writes before it reads them. */
  readonly locking: boolean
  /** Whether it assumes that records named by id exist. The statement checks it, and the next try finds the missing one. */
  readonly assumeExists: boolean
}

/** A first try, of which most succeed. */
export const FIRST_TRY: WriteTry = { locking: false, assumeExists: true }

/** The members of the request context that a retry needs. */
type RetryContext = Pick<RequestContext, 'db' | 'model' | 'reloadModel' | 'holdsModel' | 'actor'>

/**
 * Calls `write`, and calls it again with the current data model while a conflict rolls it back. Throws the refusals of `write`,
 * uniqueness conflicts with the attribute's name, errors of the database that a retry would meet again, and after the last try 503, or
 * what `onVersionConflict` returns if other writes changed what it read in this try.
 */
export async function retryOnConflict<T, Context extends RetryContext>(
  context: Context,
  write: (context: Context, current: WriteTry) => Promise<T>,
  onVersionConflict?: () => ApiError | undefined,
): Promise<T> {
  let current = await withActor(context)
  let last: unknown
  for (let count = 0; count < MAX_TRIES; count++) {
    try {
      return await write(current, { locking: count >= FIRST_LOCKING_TRY, assumeExists: count === 0 })
    } catch (error) {
      if (await needsNewModel(current, error))
        current = { ...current, model: await current.reloadModel(), holdsModel: true }
      last = error
      if (count > 0) await Bun.sleep(Math.random() * 5 * count)
    }
  }
  if (isTransactionConflict(last)) logError('A write met conflicts in all of its tries.', last)
  // While the workspace moves to another service, no model is current, whatever others write.
  const isOfOthers = last instanceof VersionConflict && (await isModelCurrent(current.db.sql, current.model))
  const refusal = isOfOthers ? onVersionConflict?.() : undefined
  throw refusal ?? serviceUnavailable(new Date(Date.now() + 1000))
}

/**
 * Loads the data model if it is older than the actor, as for the first request of a new key. A write that rendered its actor
 * after its commit would fail otherwise, and the retry would write again.
 */
async function withActor<Context extends RetryContext>(context: Context): Promise<Context> {
  if (context.actor === SYSTEM_ACTOR || context.model.actors.has(context.actor)) return context
  return { ...context, model: await context.reloadModel() }
}

/**
 * Reads what a write is to do. A single request assumes that records exist until its statement finds one missing, so every other
 * reason to refuse it comes first. A retry for several of them therefore reads under the same assumption before it looks.
 */
export async function readInOrder<T>(writeTry: WriteTry, read: (writeTry: WriteTry) => Promise<T>): Promise<T> {
  if (!writeTry.assumeExists) await read({ ...writeTry, assumeExists: true })
  return read(writeTry)
}

/**
 * Returns whether a retry needs another data model. Throws the error for the client when a retry cannot succeed. After another write
 * changed the entity, the model may still be current, and a new one would cost more than the retry: it is loaded in whole, and its
 * statements and renderers are built again.
 */
async function needsNewModel({ db, model }: RetryContext, error: unknown): Promise<boolean> {
  if (error instanceof UniqueKeyConflict) {
    const conflict = await findConflict(db.sql, model, error.keys, error.entityId)
    if (conflict) throw conflict
    return true
  }
  if (error instanceof UnusedEntityType) await markUsed(db, model.workspace.id, error.entityTypeId)
  if (error instanceof ModelVersionConflict) return true
  if (error instanceof ApiError) throw error
  if (isTransactionConflict(error)) return true
  const isOfEntity = error instanceof VersionConflict
  if (!isOfEntity && !namesUndefinedObject(error)) throw error
  const isOld = !(await isModelCurrent(db.sql, model))
  // The current data model names no table that does not exist.
  if (!isOld && !isOfEntity) throw error
  return isOld
}

// Serialises the writes of several steps in a workspace. Such writes lock entities in different orders, so two at once
// could deadlock. Within a process they wait in a queue and without a connection; between processes they wait for an
// advisory lock.

/** The last write in the queue of each workspace. It resolves when the write ends, also with an error. */
const last = new Map<string, Promise<void>>()

/**
 * Runs `steps` in a transaction. `steps` must read the clock themselves, so that their time is later than what they find. Steps take longer
 * than a change of the data model, so a retry keeps such changes waiting: they give way, and come again.
 */
export function serialiseWrites<T>(
  { db, model, holdsModel = false }: RequestContext,
  steps: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const { id } = model.workspace
  const run = () =>
    asOutboxWriter(db, id, async (): Promise<T> => {
      const result = await db.sql.begin(async (tx) => {
        await lockWrites(tx, id)
        if (holdsModel) await holdModel(tx, model)
        return { value: await steps(tx) }
      })
      return (result as { value: T }).value // the driver's type for the callback's result is wider
    })
  // The request has its connection already, and its transaction may have the lock.
  if (db.isInTransaction) return run()
  const running = (last.get(id) ?? Promise.resolve()).then(run)
  const settled = running.then(ignore, ignore)
  last.set(id, settled)
  // An empty queue is removed.
  settled.then(() => last.get(id) === settled && last.delete(id))
  return running
}

/** Until the transaction ends, no other one makes a write of several steps in the workspace. */
export const lockWrites = (tx: Transaction, workspaceId: string): Promise<void> => lockName(tx, workspaceId, 1)

/** A write starts when the one before it ends, with or without an error. */
const ignore = () => {}
