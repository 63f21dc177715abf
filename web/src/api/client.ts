/**
 * Speaks to the service. `consoleApi` is what only the console has, `workspaceApi` what concerns the present workspace, and `api`
 * the public one under `/v2`, acting as the person in that workspace.
 */

import { errorOf, unreachable } from './errors'
import { sendFile } from './send-file'

/** What requests carry: set by the session when it is read. */
export const credentials: { csrfToken: string | null; workspaceId: string | null; onSignedOut: () => void } = {
  csrfToken: null,
  workspaceId: null,
  onSignedOut: () => {},
}

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface RequestOptions {
  readonly query?: Query
  /** JSON, or a file as it is. */
  readonly body?: unknown
  /** Hears how many bytes of a file are on their way. */
  readonly onSent?: (bytes: number) => void
  readonly signal?: AbortSignal | undefined
  /** The version that is written over; the service refuses when it is not the present one. */
  readonly ifMatch?: string
  /** The last message that was heard of a stream. */
  readonly lastEventId?: string | undefined
  /** Sends the request although the page is being left. */
  readonly keepalive?: boolean
}

/** What was answered, with its version. */
export interface Versioned<T> {
  readonly body: T
  readonly version: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An API below one path. Answers are trusted to be what the service's schemas say. */
function createApi(base: () => string, headers: () => Record<string, string> = () => ({})) {
  const call =
    (method: Method) =>
    <T>(path: string, options?: RequestOptions): Promise<T> =>
      request<T>(method, base() + path, options ?? {}, headers())
  const callForVersion =
    (method: Method) =>
    async <T>(path: string, options?: RequestOptions): Promise<Versioned<T>> => {
      const response = await send(method, base() + path, options ?? {}, headers())
      return { body: await response.json(), version: response.headers.get('ETag') ?? '*' }
    }
  return {
    get: call('GET'),
    /** With the version of what is answered, for `ifMatch`. */
    getVersion: callForVersion('GET'),
    patchVersion: callForVersion('PATCH'),
    /** The answer itself, for one that goes on. */
    open: (path: string, options?: RequestOptions): Promise<Response> =>
      send('GET', base() + path, options ?? {}, headers()),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
  }
}

export const consoleApi = createApi(() => '/console/api')
export const workspaceApi = createApi(() => `/console/api/workspaces/${credentials.workspaceId}`)
export const api = createApi(
  () => '/console/v2',
  () => ({ 'X-Workspace': credentials.workspaceId ?? '' }),
)

async function request<T>(
  method: Method,
  path: string,
  options: RequestOptions,
  headers: Record<string, string>,
): Promise<T> {
  const response = await send(method, path, options, headers)
  return response.status === 204 ? (undefined as T) : response.json()
}

/** What was not refused. */
async function send(
  method: Method,
  path: string,
  { query, body, onSent, signal, ifMatch, lastEventId, keepalive = false }: RequestOptions,
  headers: Record<string, string>,
): Promise<Response> {
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch
  if (lastEventId !== undefined) headers['Last-Event-ID'] = lastEventId
  if (method !== 'GET' && credentials.csrfToken !== null) headers['X-CSRF-Token'] = credentials.csrfToken
  const isFile = body instanceof Blob
  if (body !== undefined) headers['Content-Type'] = isFile ? 'text/csv' : 'application/json'
  const address = path + searchOf(query)
  const answer = isFile
    ? sendFile(address, body, { method, headers, signal, onSent })
    : fetch(address, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
        keepalive,
      })
  const response = await answer.catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable()
  })
  if (response.ok) return response
  const error = await errorOf(response)
  if (response.status === 401 && credentials.csrfToken !== null) credentials.onSignedOut()
  throw error
}

function searchOf(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value))
  }
  return search.size === 0 ? '' : `?${search}`
}
