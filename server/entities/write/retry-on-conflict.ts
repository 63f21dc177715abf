/**
 * Runs a write until it meets neither a change of the data model nor another writer of the same rows. Writes do not lock
 * first: they read, compute, and write in one statement that touches nothing unless all is as it was read.
 */

import type { RequestContext } from '../../context'
import { OutdatedModelError } from '../../data-model/model'
import { ApiError } from '../../errors/api-error'
import { serviceUnavailable } from '../../errors/http'
import { findConflict, isUniquenessViolation } from '../../storage/unique-keys'
import { UniqueKeyConflict, VersionConflict } from './save-change'

const MOST_ATTEMPTS = 12
/** From this attempt on the rows are locked before they are read, so that a busy row cannot starve a writer. */
const FIRST_LOCKING_ATTEMPT = 3

/** PostgreSQL's codes for losing to another transaction, and for a table or column that is not there (any more). */
const TRANSIENT = new Set(['40001', '40P01', '55P03', '42703', '42P01'])

/** How careful an attempt is. */
export interface WriteAttempt {
  /** Locks the rows it writes before it reads them. */
  readonly locking: boolean
  /** Takes records named by id for existing; the statement that writes finds out, and then the next attempt says which. */
  readonly trusting: boolean
}

/**
 * Calls `write` with the newest data model it has, again while it fails for a passing reason. Throws what `write` refuses, uniqueness conflicts by name, and 503 when the rows never come to rest.
 */
export async function retryOnConflict<T, Context extends RequestContext>(
  context: Context,
  write: (context: Context, round: WriteAttempt) => Promise<T>,
): Promise<T> {
  let current = context
  for (let count = 0; count < MOST_ATTEMPTS; count++) {
    try {
      return await write(current, { locking: count >= FIRST_LOCKING_ATTEMPT, trusting: count === 0 })
    } catch (error) {
      await refuseOrRetry(current, error)
      current = { ...current, model: await current.reloadModel() }
      if (count > 0) await Bun.sleep(Math.random() * 5 * count)
    }
  }
  throw serviceUnavailable(new Date(Date.now() + 1000))
}

/** Returns when the write is worth another attempt; throws what the client is to be told otherwise. */
async function refuseOrRetry(context: RequestContext, error: unknown): Promise<void> {
  if (error instanceof UniqueKeyConflict) {
    const conflict = await findConflict(context.db.sql, context.model, error.keys, error.entityId)
    if (conflict) throw conflict
    return
  }
  if (error instanceof VersionConflict || error instanceof OutdatedModelError) return
  if (error instanceof ApiError) throw error
  if (error instanceof Error && 'code' in error && TRANSIENT.has(String(error.code))) return
  throw error
}

/** Names the keys a failed statement wanted, when they are why it failed. */
export function onUniqueKeyConflict(error: unknown, taken: () => UniqueKeyConflict): unknown {
  return isUniquenessViolation(error) ? taken() : error
}
