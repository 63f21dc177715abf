/**
 * Runs a request with an idempotency key at most once. One transaction commits its effect and its answer together, so a
 * retry gets the same answer after any failure. See docs/reference/errors-and-limits.md (Idempotency);
 * docs/decisions/idempotency.md.
 */

import type { Database } from '#db/connect'
import { runInTransaction, type TransactionScope } from '#db/run-in-transaction'
import { ApiError } from '#base/errors/api-error'
import { idempotencyConflict, idempotencyRunning } from '#base/errors/http'
import type { Clock } from '#base/timing/clock'
import {
  findResponse,
  type IdempotentRequest,
  type StoredResponse,
  storeResponse,
  tryLockRequest,
} from './idempotent-request'

export interface IdempotentOperation {
  /** Runs the request. All statements of `db` belong to the transaction. */
  run(db: Database): Promise<StoredResponse>
  /** Renders an error as an answer. */
  refusal(error: ApiError): StoredResponse
}

export interface IdempotentResult {
  readonly answer: StoredResponse
  /** Whether the answer is that of an earlier request. */
  readonly isReplay: boolean
}

/** Throws 409 when another request used the key, or the first request with it still runs. */
export function runIdempotent(
  db: Database,
  now: Clock,
  keyed: IdempotentRequest,
  run: IdempotentOperation,
): Promise<IdempotentResult> {
  return runInTransaction(db, async (one) => {
    // The look-up is a statement of its own, so it sees the answer of the request that held the lock before.
    if (!(await tryLockRequest(one.tx, keyed))) throw idempotencyRunning(new Date(now() / 1000 + 1))
    const stored = await findResponse(db, one.tx, keyed, now())
    if (stored && stored.request !== keyed.bodyDigest) throw idempotencyConflict()
    if (stored) return { answer: stored, isReplay: true }
    const answer = await runOrRefuse(one, run)
    await storeResponse(db, one.tx, keyed, answer, now())
    return { answer, isReplay: false }
  })
}

async function runOrRefuse(
  { undoable }: TransactionScope,
  { run, refusal }: IdempotentOperation,
): Promise<StoredResponse> {
  try {
    return await undoable(run)
  } catch (error) {
    if (error instanceof ApiError && isStored(error)) return refusal(error)
    throw error
  }
}

/** A retry of these statuses may succeed, so their answers are not stored. */
const isStored = ({ status }: ApiError): boolean => status < 500 && ![401, 403, 429].includes(status)
