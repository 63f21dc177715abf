/**
 * Serialises the writes of several steps in a workspace. Such writes lock entities in different orders, so two at once
 * could deadlock. Within a process they wait in a queue and without a connection; between processes they wait for an
 * advisory lock.
 */

import type { Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import { asOutboxWriter } from '#engine/outbox/outbox-writers'

/** The last write in the queue of each workspace. It resolves when the write ends, also with an error. */
const last = new Map<string, Promise<void>>()

/** Runs `steps` in a transaction. `steps` must read the clock themselves, so that their time is later than what they find. */
export function serialiseWrites<T>({ db, model }: RequestContext, steps: (tx: Transaction) => Promise<T>): Promise<T> {
  const { id } = model.workspace
  const run = () =>
    asOutboxWriter(db, id, async (): Promise<T> => {
      const result = await db.sql.begin(async (tx) => {
        await lockWrites(tx, id)
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
export async function lockWrites(tx: Transaction, workspaceId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${workspaceId}, 1))`
}

/** A write starts when the one before it ends, with or without an error. */
const ignore = () => {}
