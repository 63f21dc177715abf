/**
 * Requests that carry an idempotency key: answered once, and with the same again.
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
import { asJson } from '../response/output'
import { readBytes } from '../request/read-body'
import { urlOf } from '../request/request-url'
import type { Output } from '../guard/route'

interface Keyed {
  readonly caller: Caller
  readonly key: string
  readonly request: Request
  /** Undefined for a route that reads no body. */
  readonly bodyLimit: number | undefined
  /** The call as it would be without a key. */
  makeRequestContext(): Promise<ApiContext>
}

const REPLAYED = { 'Idempotent-Replayed': 'true' }

/** Answers with what `act` answers, or answered before; `act` gets a request that can be read, and the call to act as. */
export async function answerOnce(
  { db, models, now }: AppContext,
  { caller, key, request, bodyLimit, makeRequestContext }: Keyed,
  act: (request: Request, context: ApiContext) => Promise<Output>,
): Promise<JsonText> {
  const { workspaceId } = caller
  const { method } = request
  const url = urlOf(request)
  const bytes = bodyLimit === undefined ? new Uint8Array() : await readBytes(request, bodyLimit)
  // Before the transaction: what needs a connection while others are held may never get one.
  const context = await makeRequestContext()
  let hasReloaded = false
  const run = async (within: Database) => {
    const again = new Request(url, {
      method,
      headers: request.headers,
      body: bytes as Uint8Array<ArrayBuffer>,
    }) // no memory is shared
    const reloadModel = () => {
      hasReloaded = true
      // Not for others: it may never come to be.
      return loadDataModel(within, workspaceId)
    }
    return kept(asJson(await act(again, { ...context, db: within, reloadModel, signal: undefined })))
  }
  const { answer, isReplay } = await runIdempotent(db, now, identifyRequest(caller, key, { method, url }, bytes), {
    run,
    refusal: refused,
  })
  // As after a change without a key: whoever asks this process next sees it.
  if (hasReloaded) await models.reload(workspaceId)
  return new JsonText(answer.text, { status: answer.status, headers: { ...answer.headers, ...(isReplay && REPLAYED) } })
}

const kept = ({ status, headers, text }: JsonText) => ({ status, headers, text })

const refused = (error: ApiError) => ({
  status: error.status,
  headers: error.headers,
  text: JSON.stringify(envelopeOf(error)),
})
