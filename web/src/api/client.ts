/**
 * Sends requests to the service. `consoleApi` has the routes that only the console uses, `workspaceApi` those of the current
 * workspace. `api` is the public API under `/v2`, in which the signed-in member is the actor.
 */

import { errorOf, unreachable } from './errors'
import { retryOn } from './retry'
import { sendFile } from './send-file'

/** The credentials of requests. `state/session` sets them. */
export const credentials: {
  csrfToken: string | null
  /** The id of the workspace that is shown. */
  workspaceId: () => string | null
  onSignedOut: () => void
  /** Called when the workspace requires a step of sign-in that the session lacks. */
  onStepMissing: () => void
  /** Called with the id of the workspace of a request when it was deleted or the account is no member of it any more. */
  onWorkspaceMissing: (workspaceId: string) => void
} = {
  csrfToken: null,
  workspaceId: () => null,
  onSignedOut: () => {},
  onStepMissing: () => {},
  onWorkspaceMissing: () => {},
}

const MISSING_STEPS = ['provider_required', 'second_factor_required']

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface RequestOptions {
  readonly query?: Query
  /** A value that is sent as JSON, a CSV file that is sent unchanged, or a form with a file. */
  readonly body?: unknown
  /** Called with the number of bytes of a file that were sent. */
  readonly onSent?: (bytes: number) => void
  /** Called with the part of the response to a file that has arrived. */
  readonly onReceived?: (text: string) => void
  readonly signal?: AbortSignal | undefined
  /** The media type of the response, where it is not JSON. */
  readonly accept?: string
  /** The expected version. The service refuses the write when the current version is another one. */
  readonly ifMatch?: string
  /** The id of the last message that a stream received. */
  readonly lastEventId?: string | undefined
  /** Sends the request although the page is being left. */
  readonly keepalive?: boolean
}

/** A body and its version. */
export interface Versioned<T> {
  readonly body: T
  readonly version: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An API below one path. Responses are not validated: they follow the schemas of the service. */
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
    /** Returns the version of the body, too, for `ifMatch`. */
    getVersion: callForVersion('GET'),
    patchVersion: callForVersion('PATCH'),
    postVersion: callForVersion('POST'),
    /** Returns the response unread, for streams. */
    open: (path: string, options?: RequestOptions): Promise<Response> =>
      send('GET', base() + path, options ?? {}, headers()),
    post: call('POST'),
    /** Returns the response unread, for streams. */
    postForStream: (path: string, options?: RequestOptions): Promise<Response> =>
      send('POST', base() + path, options ?? {}, headers()),
    /** Returns the response as text, for other formats than JSON. */
    postForText: async (path: string, options?: RequestOptions): Promise<string> =>
      (await send('POST', base() + path, options ?? {}, headers())).text(),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
  }
}

export const consoleApi = createApi(() => '/console/api')
export const workspaceApi = createApi(() => `/console/api/workspaces/${credentials.workspaceId()}`)
export const api = createApi(
  () => '/console/v2',
  () => ({ 'X-Workspace': credentials.workspaceId() ?? '' }),
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

/** The delays before a read is sent again while the service is overloaded. */
const RETRY_DELAYS_MS = [1000, 2000]

/** Returns a successful response and throws an `ApiError` for any other. After a 503, a write may have been done, so only reads are repeated. */
const send = (
  method: Method,
  path: string,
  options: RequestOptions,
  headers: Record<string, string>,
): Promise<Response> => {
  const isRead = method === 'GET' || /\/(?:query|search|aggregate)$/.test(path)
  return retryOn(503, isRead ? RETRY_DELAYS_MS : [], () => sendOnce(method, path, options, headers), options.signal)
}

async function sendOnce(
  method: Method,
  path: string,
  { query, body, onSent, onReceived, signal, accept, ifMatch, lastEventId, keepalive = false }: RequestOptions,
  headers: Record<string, string>,
): Promise<Response> {
  if (accept !== undefined) headers.Accept = accept
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch
  if (lastEventId !== undefined) headers['Last-Event-ID'] = lastEventId
  if (method !== 'GET' && credentials.csrfToken !== null) headers['X-CSRF-Token'] = credentials.csrfToken
  const workspaceId = credentials.workspaceId()
  const isFile = body instanceof Blob || body instanceof FormData
  const type = contentTypeOf(body)
  if (type !== undefined) headers['Content-Type'] = type
  const url = path + searchOf(query)
  const sending = isFile
    ? sendFile(url, body, { method, headers, signal, onSent, onReceived })
    : fetch(url, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
        keepalive,
      })
  const response = await sending.catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable()
  })
  if (response.ok) return response
  const error = await errorOf(response)
  if (response.status === 401 && credentials.csrfToken !== null) credentials.onSignedOut()
  if (MISSING_STEPS.includes(error.code)) credentials.onStepMissing()
  if (error.code === 'workspace_not_found' && workspaceId !== null) credentials.onWorkspaceMissing(workspaceId)
  throw error
}

/** The browser sets the type of a form. */
function contentTypeOf(body: unknown): string | undefined {
  if (body === undefined || body instanceof FormData) return undefined
  return body instanceof Blob ? 'application/octet-stream' : 'application/json'
}

function searchOf(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value))
  }
  return search.size === 0 ? '' : `?${search}`
}
