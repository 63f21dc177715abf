/**
 * Runs an idempotent request once. A retry gets the stored response of the first request.
 * See docs/reference/errors-and-limits.md (Idempotency).
 */

import type { Database } from '../../../db/connect'
import type { AppContext, ApiContext } from '../../context'
import { loadDataModel } from '../../data-model/load'
import type { ApiError } from '../../errors/api-error'
import { identifyRequest } from './idempotent-request'
import { runIdempotent } from './run-once'
import { envelopeOf, JsonText } from '../response/answer'
import type { Caller } from '../guard/caller'
import { renderOutput } from '../response/output'
import { readBytes } from '../request/read-body'
import { urlOf } from '../request/request-url'
import type { Output } from '../guard/route'

interface IdempotentRequest {
  readonly caller: Caller
  readonly key: string
  readonly request: Request
  /** Undefined for a route that reads no body. */
  readonly bodyLimit: number | undefined
  /** Makes the context that the request would have without a key. */
  makeRequestContext(): Promise<ApiContext>
}

const REPLAYED = { 'Idempotent-Replayed': 'true' }

/** Returns the response of `run`, or that of the first request. `run` gets a copy of the request, whose body it can read. */
export async function answerOnce(
  { db, models, now }: AppContext,
  { caller, key, request, bodyLimit, makeRequestContext }: IdempotentRequest,
  run: (request: Request, context: ApiContext) => Promise<Output>,
): Promise<JsonText> {
  const { workspaceId } = caller
  const { method } = request
  const url = urlOf(request)
  const bytes = bodyLimit === undefined ? new Uint8Array() : await readBytes(request, bodyLimit)
  // Before the transaction: a request that holds a connection must not wait for another one.
  const context = await makeRequestContext()
  let hasReloaded = false
  const runWithin = async (within: Database) => {
    const copy = new Request(url, {
      method,
      headers: request.headers,
      body: bytes as Uint8Array<ArrayBuffer>,
    }) // the bytes are not in shared memory
    const reloadModel = () => {
      hasReloaded = true
      // The model of an open transaction, so it is not cached: the transaction may be rolled back.
      return loadDataModel(within, workspaceId)
    }
    return storedOf(renderOutput(await run(copy, { ...context, db: within, reloadModel, signal: undefined })))
  }
  const { answer, isReplay } = await runIdempotent(db, now, identifyRequest(caller, key, { method, url }, bytes), {
    run: runWithin,
    refusal: storedError,
  })
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
