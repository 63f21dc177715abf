/**
 * Answers: text, status and headers made into what goes over the wire.
 * See docs/reference/errors-and-limits.md (The error body, Headers).
 */

import type { ApiError } from '../../errors/api-error'
import { chooseEncoding, compress, type Compressed } from './compression'
import {
  commonHeaders,
  executionIdHeader,
  JSON_HEADERS,
  queryScoreHeader,
  type Headers as PlainHeaders,
} from './headers'
import { withEncoded } from './encode-buffer'

/** An answer rendered to JSON text already, or one with a status or headers of its own. */
export class JsonText {
  readonly status: number
  readonly headers: PlainHeaders
  /** What the query cost; clients pace themselves by it. */
  readonly queryScore: number | undefined
  constructor(
    /** Pieces follow one another: a page is too much to be put together more often than it must be. */
    readonly body: string | readonly string[],
    options: { status?: number; headers?: PlainHeaders; queryScore?: number } = {},
  ) {
    this.status = options.status ?? 200
    this.headers = options.headers ?? {}
    this.queryScore = options.queryScore
  }

  get text(): string {
    return typeof this.body === 'string' ? this.body : this.body.join('')
  }
}

export interface Answers {
  /** A body in JSON. */
  json(request: Request, id: string, answer: JsonText): Response | Promise<Response>
  /** The envelope of an error. */
  error(request: Request, id: string, error: ApiError): Response | Promise<Response>
  /** Headers for anything that is not JSON of the API. */
  headers(id: string): Record<string, string>
}

/** A request's own id, which the client also gets. */
export const newRequestId = (): string => crypto.randomUUID()

export function createAnswers(brand: string): Answers {
  const common = commonHeaders(brand)
  // Copied as a whole, which takes half as long as setting each for every answer.
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
    const compressed = encoding && compress(answer.text, encoding)
    if (compressed === undefined) return respond(answer.body, { status: answer.status, headers })
    const send = ({ bytes, encoding }: Compressed) => {
      headers.set('Content-Encoding', encoding)
      return new Response(bytes, { status: answer.status, headers })
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
    headers: (id) => ({ ...common, [idHeader]: id, 'X-Request-Id': id }),
  }
}

const respond = (body: JsonText['body'], init: ResponseInit): Response =>
  typeof body === 'string' ? new Response(body, init) : withEncoded(body, (bytes) => new Response(bytes, init))

export const envelopeOf = (error: ApiError) => ({
  status_code: error.status,
  type: error.type,
  code: error.code,
  message: error.message,
  ...error.extra,
})
