/**
 * Writes of several steps, one at a time in a workspace: each locks entities in an order of its own, and two that meet
 * would wait for each other. Within a process they wait in a queue, so that none of them waits on a connection that
 * others need; between processes they wait for a lock of PostgreSQL.
 */

import type { Transaction } from '../../../db/connect'
import type { RequestContext } from '../../context'

/** The last write of each workspace that has any, settled whatever came of it. */
const last = new Map<string, Promise<void>>()

/** Runs `steps` in a transaction. Take the time of the write in it: then it is not older than what the write finds. */
export function serialiseWrites<T>({ db, model }: RequestContext, steps: (tx: Transaction) => Promise<T>): Promise<T> {
  const { id } = model.workspace
  const run = async (): Promise<T> => {
    const result = await db.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${id}, 1))`
      return { value: await steps(tx) }
    })
    return (result as { value: T }).value // the driver widens what its callback gives
  }
  // It has its connection already, and may hold the lock from steps before.
  if (db.isInTransaction) return run()
  const running = (last.get(id) ?? Promise.resolve()).then(run)
  const settled = running.then(ignore, ignore)
  last.set(id, settled)
  // The queue of a workspace that is at rest takes no room.
  settled.then(() => last.get(id) === settled && last.delete(id))
  return running
}

/** Who waits in the queue does not care how the one before ended. */
const ignore = () => {}
