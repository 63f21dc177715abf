/** Sends requests to an application and validates every response against the contract, or against the schema of its console route. */

import { checkConsoleAnswer, type ConsoleRoutes } from './console-answers'
import { checkAnswer } from './contract'

export interface RequestOptions {
  /** The key of this request instead of the client's key; null for no key. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** The parsed JSON of a response. A test that names a wrong member gets undefined and fails. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnswerBody = any

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: AnswerBody
}

/** The part of an Elysia application that answers requests. */
interface Handler extends ConsoleRoutes {
  handle(request: Request): Promise<Response>
}

export type Client = (method: string, path: string, body?: unknown, options?: RequestOptions) => Promise<Answer>

/** A body of text or bytes is sent unchanged, any other body as JSON. */
export function createClient(app: Handler, ownKey: string): Client {
  return async (method, path, body, { key = ownKey, headers = {} } = {}) => {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: encode(body),
    })
    const response = await app.handle(request)
    const text = await response.text()
    const isJson = JSON_TYPE.test(response.headers.get('content-type') ?? '') && text !== ''
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
    const isDescribed = (path.startsWith('/v2') && !isOtherForm(response)) || isWholeScim(path)
    if (isDescribed && method !== 'HEAD' && method !== 'OPTIONS') {
      checkAnswer(method, new URL(request.url).pathname, answer.status, answer.body)
    }
    if (isJson && response.ok) checkConsoleAnswer(app, method, new URL(request.url).pathname, answer.body)
    return answer
  }
}

/** The contract describes only JSON. */
const isOtherForm = ({ headers }: Response): boolean =>
  /^(?:text\/csv|text\/plain|application\/x-ndjson)/.test(headers.get('content-type') ?? '')

const JSON_TYPE = /^application\/(?:scim\+)?json\b/

/** The contract requires attributes that a response of SCIM lacks when the request names others. */
const isWholeScim = (path: string): boolean => path.startsWith('/scim/') && !/[?&](?:excludedA|a)ttributes=/.test(path)

function encode(body: unknown): string | Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined || typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}
