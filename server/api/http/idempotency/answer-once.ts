/**
 * Runs an idempotent request once. A retry gets the stored response of the first request.
 * See docs/reference/errors-and-limits.md (Idempotency).
 */

import type { Database } from '#db/connect'
import type { ApiContext, AppContext } from '#context'
import { contextInTransaction } from '#engine/data-model/access/context-in-transaction'
import { ApiError } from '#base/errors/api-error'
import { asOutboxWriter } from '#engine/outbox/outbox'
import {
  findResponse,
  type IdempotentRequest,
  identifyRequest,
  type StoredResponse,
  storeResponse,
  tryLockRequest,
} from './idempotent-request'
import { envelopeOf, JsonText, renderOutput } from '#api/http/response/answer'
import type { Caller } from '#api/http/guard/caller'
import { urlOf } from '#api/http/request/request-url'
import type { Output } from '#api/http/guard/route'
import { runInTransaction, type TransactionScope } from '#db/run-in-transaction'
import { idempotencyConflict, idempotencyRunning } from '#base/errors/http'
import type { Clock } from '#base/timing/clock'

interface RequestWithKey {
  readonly caller: Caller
  readonly key: string
  readonly request: Request
  /** The bytes by which two requests are the same; empty for a route that reads no body. */
  readonly body: Uint8Array
  /** Makes the context that the request would have without a key. */
  makeRequestContext(): Promise<ApiContext>
}

const REPLAYED = { 'Idempotent-Replayed': 'true' }

/** Returns the response of `run`, or that of the first request. */
export async function answerOnce(
  { db, models, now }: AppContext,
  { caller, key, request, body, makeRequestContext }: RequestWithKey,
  run: (context: ApiContext) => Promise<Output>,
): Promise<JsonText> {
  const { workspaceId } = caller
  const identity = identifyRequest(caller, key, { method: request.method, url: urlOf(request) }, body)
  // Before the transaction: a request that holds a connection must not wait for another one.
  const context = await makeRequestContext()
  let hasReloaded = false
  const runWithin = async (within: Database) => {
    const inside = contextInTransaction(context, within)
    const reloadModel = () => {
      hasReloaded = true
      return inside.reloadModel()
    }
    return storedOf(renderOutput(await run({ ...inside, reloadModel })))
  }
  const { answer, isReplay } = await asOutboxWriter(db, workspaceId, () =>
    runIdempotent(db, now, identity, { run: runWithin, refusal: storedError }),
  )
  // The next request to this process then has the new model, as after a change without a key.
  if (hasReloaded) await models.reload(workspaceId)
  return new JsonText(answer.text, { status: answer.status, headers: { ...answer.headers, ...(isReplay && REPLAYED) } })
}

const storedOf = ({ status, headers, text }: JsonText) => ({ status, headers, text })

const storedError = (error: ApiError) => ({
  status: error.status,
  headers: error.headers,
  text: JSON.stringify(envelopeOf(error)),
})

// Runs a request with an idempotency key at most once. One transaction commits its effect and its answer together, so a retry gets the
// same answer after any failure. See docs/reference/errors-and-limits.md (Idempotency); docs/decisions/idempotency.md.

interface IdempotentOperation {
  /** Runs the request. All statements of `db` belong to the transaction. */
  run(db: Database): Promise<StoredResponse>
  /** Renders an error as an answer. */
  refusal(error: ApiError): StoredResponse
}

interface IdempotentResult {
  readonly answer: StoredResponse
  /** Whether the answer is that of an earlier request. */
  readonly isReplay: boolean
}

/** Throws 409 when another request used the key, or the first request with it still runs. */
function runIdempotent(
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
