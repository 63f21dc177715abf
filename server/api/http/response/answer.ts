/**
 * Makes responses from text, status and headers.
 * See docs/reference/errors-and-limits.md (The error body, Headers).
 */

import type { ApiError } from '#base/errors/api-error'
import type { ByteWriter } from '#base/text/byte-writer'
import { insertLongTexts, type MarkedJson } from '#base/text/marked-json'
import { inSlices, nextTurn } from '#base/timing/in-slices'
import { chooseEncoding, compress, type Compressed, compressPieces } from './compression'
import {
  commonHeaders,
  executionIdHeader,
  JSON_HEADERS,
  queryScoreHeader,
  type Headers as PlainHeaders,
} from './headers'
import { isVeryLarge, respondWith } from './large-body'

/** A response with this status has no body. */
export const NO_CONTENT = 204

const decoder = new TextDecoder()

/** JSON text for a response, with its status and headers. */
export class JsonText {
  readonly status: number
  readonly headers: PlainHeaders
  /** The score of the query, by which clients can slow down. */
  readonly queryScore: number | undefined
  constructor(
    /** Pieces are concatenated only when they are encoded, because a page may have megabytes. */
    readonly body: string | readonly string[] | ByteWriter,
    options: { status?: number; headers?: PlainHeaders; queryScore?: number } = {},
  ) {
    this.status = options.status ?? 200
    this.headers = options.headers ?? {}
    this.queryScore = options.queryScore
  }

  get text(): string {
    if (typeof this.body === 'string') return this.body
    return 'written' in this.body ? decoder.decode(this.body.written()) : this.body.join('')
  }

  /** Must follow the last use of a body in a writer, so that its memory is used again. */
  release(): void {
    if (typeof this.body !== 'string' && 'written' in this.body) this.body.release()
  }
}

/** Makes the response of one thing, in `data`. Its long texts are escaped in slices. */
export async function markedAnswer(
  marked: MarkedJson,
  options?: ConstructorParameters<typeof JsonText>[1],
): Promise<JsonText> {
  if (marked.longTexts.length === 0) return new JsonText(`{"data":${marked.text}}`, options)
  // The row was decoded in this turn of the event loop.
  await nextTurn()
  return new JsonText(['{"data":', ...(await inSlices(insertLongTexts(marked))), '}'], options)
}

export interface Answers {
  /** Makes a response with a JSON body. */
  json(request: Request, id: string, answer: JsonText): Response | Promise<Response>
  /** Makes the response of an error. */
  error(request: Request, id: string, error: ApiError): Response | Promise<Response>
  /** The headers of a response that is not JSON. */
  headers(id: string, queryScore?: number): Record<string, string>
}

/** Makes the id of a request, which the client gets in a header. */
export const newRequestId = (): string => crypto.randomUUID()

export function createAnswers(brand: string): Answers {
  const common = commonHeaders(brand)
  // Copying all of them takes half as long as setting each.
  const api = new Headers({ ...common, ...JSON_HEADERS })
  const idHeader = executionIdHeader(brand)
  const scoreHeader = queryScoreHeader(brand)

  const json: Answers['json'] = (request, id, answer) => {
    const headers = new Headers(api)
    headers.set(idHeader, id)
    headers.set('X-Request-Id', id)
    for (const name in answer.headers) headers.set(name, answer.headers[name] ?? '')
    if (answer.queryScore !== undefined) headers.set(scoreHeader, String(answer.queryScore))
    const encoding = chooseEncoding(request.headers.get('accept-encoding'))
    if (encoding !== undefined && isVeryLarge(answer.body)) {
      headers.set('Content-Encoding', encoding)
      return new Response(compressPieces(answer.body, encoding), { status: answer.status, headers })
    }
    const compressed = encoding && compress(answer.text, encoding)
    if (compressed === undefined) return respond(request, answer, { status: answer.status, headers })
    answer.release()
    const send = ({ bytes, encoding }: Compressed) => {
      headers.set('Content-Encoding', encoding)
      return respondWith(request, bytes, { status: answer.status, headers })
    }
    return compressed instanceof Promise ? compressed.then(send) : send(compressed)
  }

  return {
    json,
    error: (request, id, error) =>
      json(
        request,
        id,
        new JsonText(JSON.stringify(envelopeOf(error)), { status: error.status, headers: error.headers }),
      ),
    headers: (id, queryScore) => ({
      ...common,
      [idHeader]: id,
      'X-Request-Id': id,
      ...(queryScore !== undefined && { [scoreHeader]: String(queryScore) }),
    }),
  }
}

function respond(request: Request, answer: JsonText, init: ResponseInit): Response {
  const { body } = answer
  if (init.status === NO_CONTENT) return new Response(null, init)
  if (typeof body === 'string' || !('written' in body)) return respondWith(request, body, init)
  return respondWith(request, body.written(), init, () => answer.release())
}

export const envelopeOf = (error: ApiError) => ({
  status_code: error.status,
  type: error.type,
  code: error.code,
  message: error.message,
  ...error.extra,
})
