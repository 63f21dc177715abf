/**
 * Runs an idempotent request once. A retry gets the stored response of the first request.
 * See docs/reference/errors-and-limits.md (Idempotency).
 */

import type { Database } from '#db/connect'
import type { AppContext, ApiContext } from '#context'
import { contextInTransaction } from '#engine/data-model/access/context-in-transaction'
import type { ApiError } from '#base/errors/api-error'
import { asOutboxWriter } from '#engine/outbox/outbox'
import { identifyRequest } from './idempotent-request'
import { runIdempotent } from './run-once'
import { envelopeOf, JsonText, renderOutput } from '#api/http/response/answer'
import type { Caller } from '#api/http/guard/caller'
import { urlOf } from '#api/http/request/request-url'
import type { Output } from '#api/http/guard/route'

interface IdempotentRequest {
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
  { caller, key, request, body, makeRequestContext }: IdempotentRequest,
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
