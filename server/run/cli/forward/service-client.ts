/** Calls the service over HTTP with an API key. */

import type { TestEndpoint, TestRequest } from '#api/resources/test-endpoints/schemas'
import { CommandError } from '#run/cli/command'

export interface RemoteService {
  getEndpoint(id: string, signal: AbortSignal): Promise<TestEndpoint>
  /** Newest first; `before` is the id of the request that precedes the page. */
  listRequests(id: string, before: string | undefined, signal: AbortSignal): Promise<TestRequest[]>
  /** The bytes of the stream of requests. */
  openStream(id: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
}

/** The service did not answer, or cannot answer at the moment. A retry may succeed. */
export class UnreachableError extends Error {}

export const PAGE_SIZE = 200

/** Every function throws `UnreachableError` when a retry may succeed, and `CommandError` when it cannot. */
export function connectTo(service: string, key: string): RemoteService {
  const ask = async (path: string, signal: AbortSignal): Promise<Response> => {
    const headers = { Authorization: `Bearer ${key}` }
    const response = await fetch(`${service}/v2/test_endpoints/${path}`, { headers, signal }).catch(() => {
      throw new UnreachableError(`Nothing answers at ${service}.`)
    })
    if (response.ok) return response
    throw await problemOf(response, service)
  }
  const read = async <T>(path: string, signal: AbortSignal): Promise<T> => {
    const { data } = (await (await ask(path, signal)).json()) as { data: T } // as the service's schemas say
    return data
  }
  const pathOf = encodeURIComponent

  return {
    getEndpoint: (id, signal) => read<TestEndpoint>(pathOf(id), signal).catch(asProblem),
    listRequests: (id, before, signal) => {
      const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(before !== undefined && { before }) })
      return read<TestRequest[]>(`${pathOf(id)}/requests?${query}`, signal)
    },
    async openStream(id, signal) {
      const { body } = await ask(`${pathOf(id)}/stream`, signal)
      if (body === null) throw new UnreachableError('The service answered without a stream.')
      return body
    },
  }
}

async function problemOf(response: Response, service: string): Promise<Error> {
  const { status } = response
  const said = await response.json().then(
    (body: unknown) => (body as { message?: unknown }).message, // only its message is read
    () => undefined,
  )
  if (status === 401) return new CommandError('The service does not accept this key.')
  if (status >= 400 && status < 500 && status !== 429) {
    return new CommandError(typeof said === 'string' ? said : `The service answers ${status}. Is it at ${service}?`)
  }
  return new UnreachableError(`The service answers ${status}.`)
}

/** At the start, an unreachable service most likely has a wrong address. */
function asProblem(error: unknown): never {
  throw error instanceof UnreachableError ? new CommandError(error.message) : error
}
