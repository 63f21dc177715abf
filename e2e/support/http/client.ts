/** Sends requests to the service and checks every response against the contract. */

import { breach, isForScim } from './contract'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // Tests read the members that they expect; a missing one is undefined and fails the test.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface RequestOptions {
  /** Replaces the API key of the client; null for none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export type Request = (method: string, path: string, body?: unknown, options?: RequestOptions) => Promise<Answer>

/** Sends text and bytes unchanged and other bodies as JSON. Throws when a response violates the contract. */
export const createRequest =
  (url: string, ownKey: string): Request =>
  async (method, path, body, { key = ownKey, headers = {} } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: encoded(body) }),
    })
    const answer = { status: response.status, headers: response.headers, body: decoded(await response.text()) }
    const { pathname, search } = new URL(response.url)
    const isChecked = method !== 'HEAD' && !(isForScim(pathname) && PROJECTION.test(search))
    const problem = isChecked ? breach(method, pathname, answer.status, answer.body) : undefined
    if (problem !== undefined) throw new Error(`${method} ${path} answered ${answer.status}: ${problem}`)
    return answer
  }

/** The contract requires attributes that a response of SCIM lacks when the request names others. */
const PROJECTION = /[?&](?:excludedA|a)ttributes=/

const encoded = (body: unknown): string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ? body : body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)

function decoded(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
