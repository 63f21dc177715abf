/**
 * Runs a request with an idempotency key at most once. One transaction commits its effect and its answer together, so a
 * retry gets the same answer after any failure. Spec: errors-and-limits 5, decision 0051.
 */

import type { Database } from '../../../db/connect'
import { inOneTransaction, type OneTransaction } from '../../../db/run-in-transaction'
import { ApiError, idempotencyConflict, idempotencyRunning } from '../../errors/errors'
import type { Clock } from '../../timing/clock'
import type { KeyedRequest } from './idempotent-request'
import { findAnswer, keepAnswer, takeTurn, type KeptAnswer } from './store'

export interface Run {
  /** Runs the request. All statements of `db` belong to the transaction. */
  run(db: Database): Promise<KeptAnswer>
  /** Renders an error as an answer. */
  refusal(error: ApiError): KeptAnswer
}

export interface Outcome {
  readonly answer: KeptAnswer
  /** Whether the answer is that of an earlier request. */
  readonly isReplay: boolean
}

/** Throws 409 when another request used the key, or the first request with it still runs. */
export function runOnce(db: Database, now: Clock, keyed: KeyedRequest, run: Run): Promise<Outcome> {
  return inOneTransaction(db, async (one) => {
    // The look-up is a statement of its own, so it sees the answer of the request that held the lock before.
    if (!(await takeTurn(one.tx, keyed))) throw idempotencyRunning(new Date(now() / 1000 + 1))
    const stored = await findAnswer(one.tx, keyed, now())
    if (stored && stored.request !== keyed.request) throw idempotencyConflict()
    if (stored) return { answer: stored, isReplay: true }
    const answer = await runOrRefuse(one, run)
    await keepAnswer(one.tx, keyed, answer, now())
    return { answer, isReplay: false }
  })
}

async function runOrRefuse({ undoable }: OneTransaction, { run, refusal }: Run): Promise<KeptAnswer> {
  try {
    return await undoable(run)
  } catch (error) {
    if (error instanceof ApiError && isStored(error)) return refusal(error)
    throw error
  }
}

/** A retry of these statuses may succeed, so their answers are not stored. */
const isStored = ({ status }: ApiError): boolean => status < 500 && ![401, 403, 429].includes(status)
