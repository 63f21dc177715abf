/**
 * Runs a request with an idempotency key at most once: what it does and what is answered come to be in one transaction,
 * so that a request that is sent again, after whatever went wrong, gets the same answer. Spec: errors-and-limits 5,
 * decision 0051.
 */

import type { Database } from '../../db/connect'
import { inOneTransaction, type OneTransaction } from '../../db/one-transaction'
import { ApiError, idempotencyConflict, idempotencyRunning } from '../errors'
import type { Clock } from '../time'
import type { KeyedRequest } from './keyed-request'
import { findAnswer, keepAnswer, takeTurn, type KeptAnswer } from './store'

export interface Run {
  /** On a database of which every statement belongs to the transaction. */
  run(db: Database): Promise<KeptAnswer>
  /** How a refusal is answered. */
  refusal(error: ApiError): KeptAnswer
}

export interface Outcome {
  readonly answer: KeptAnswer
  /** Whether it was given before. */
  readonly isReplay: boolean
}

/** Throws 409 for a key that is in use: with another request, or by one that still runs. */
export function runOnce(db: Database, now: Clock, keyed: KeyedRequest, run: Run): Promise<Outcome> {
  return inOneTransaction(db, async (one) => {
    // Two statements: the second sees what whoever had the turn before has left.
    if (!(await takeTurn(one.tx, keyed))) throw idempotencyRunning(new Date(now() / 1000 + 1))
    const kept = await findAnswer(one.tx, keyed, now())
    if (kept && kept.request !== keyed.request) throw idempotencyConflict()
    if (kept) return { answer: kept, isReplay: true }
    const answer = await runOrRefuse(one, run)
    await keepAnswer(one.tx, keyed, answer, now())
    return { answer, isReplay: false }
  })
}

async function runOrRefuse({ undoable }: OneTransaction, { run, refusal }: Run): Promise<KeptAnswer> {
  try {
    return await undoable(run)
  } catch (error) {
    if (error instanceof ApiError && isKept(error)) return refusal(error)
    throw error
  }
}

/** What may be otherwise the next time is not kept. */
const isKept = ({ status }: ApiError): boolean => status < 500 && ![401, 403, 429].includes(status)
