import { CommandError, defineRemoteCommand } from '#run/cli/command'
import { readServiceUrl, readUrl } from '#run/cli/read-arguments'
import { isEventType } from '#vocabulary/event-types'
import type { TestRequest, TestEndpoint } from '#api/resources/test-endpoints/schemas'
import { setTimeout as pause } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { withTimeout } from '#base/timing/wait'

/** Forwards the requests of a test endpoint to a receiver that the service cannot reach. Runs until it is stopped. */
export const webhooksForward = defineRemoteCommand({
  name: 'webhooks forward',
  summary: 'Forwards the requests of a test endpoint to an address that this machine can reach.',
  options: {
    endpoint: {
      kind: 'text',
      value: '<id>',
      description: 'The id of the test endpoint, shown on its page.',
      isRequired: true,
    },
    to: {
      kind: 'text',
      value: '<url>',
      description: 'The address of the receiver, e.g. http://localhost:3000/hooks.',
      isRequired: true,
    },
    key: {
      kind: 'text',
      value: '<key>',
      description: 'An API key with the scope webhook:read and those of the events; - reads it from standard input.',
      isRequired: true,
    },
    service: { kind: 'text', value: '<url>', description: 'The address of the service. Default: RELATA_BASE_URL.' },
  },
  async runRemotely({ options }, { baseUrl, print, signal }) {
    const to = readUrl('to', options.to)
    const url = readServiceUrl(options.service ?? baseUrl)
    const key = options.key === '-' ? (await Bun.stdin.text()).trim() : options.key
    const service = connectTo(url, key)
    const endpoint = await service.getEndpoint(options.endpoint, signal)
    const requests = followRequests({
      service,
      endpointId: options.endpoint,
      signal,
      onOpen: () => print(`What comes to ${endpoint.url} goes to ${to.href}. Ctrl-C ends it.`),
      onBreak: () => print('The connection to the service is lost; trying again.'),
    })
    for await (const request of requests) print(renderLine(request, await resend(to, request, signal)))
  },
})

// Prints one line for each forwarded request and its answer.

/** `07:01:02  POST /  record.created → 200 OK, 12 ms` */
function renderLine(request: TestRequest, answer: ResendAnswer | NoAnswer): string {
  const { at, method, path, body } = request
  const kind = kindIn(body)
  const what = [at.slice(11, 19), ` ${method} ${path}`, ...(kind === undefined ? [] : [` ${kind}`])].join(' ')
  return printable(`${what} → ${'problem' in answer ? answer.problem : outcomeOf(answer)}`)
}

function outcomeOf({ status, statusText, body, ms }: ResendAnswer): string {
  const said = status >= 200 && status < 300 ? '' : body.trim()
  return `${`${status} ${statusText}`.trim()}, ${ms} ms${said === '' ? '' : `: ${said}`}`
}

function kindIn(body: string): string | undefined {
  const [, kind = ''] = /"event_type"\s*:\s*"([^"]+)"/.exec(body) ?? []
  return isEventType(kind) ? kind : undefined
}

/** Removes control characters, which a terminal would interpret: the sender of the request is unknown. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ')

// Yields every new request of a test endpoint once, even when connections break: after each connection, it reads the
// requests that arrived in the meantime from the list of requests.

/** The back-off between connections; the last value applies to all further ones. */
const BACK_OFF_MS = [500, 1000, 2000, 5000, 10_000]
/** More than the service stores for one endpoint. */
const MAX_REMEMBERED = 2000

interface FollowOptions {
  readonly service: RemoteService
  readonly endpointId: string
  readonly signal: AbortSignal
  /** Called after each connection; from then on, no request is missed. */
  onOpen(): void
  onBreak(): void
}

/** Ends when the signal is aborted. Throws `CommandError` for an error that a retry would not solve. */
async function* followRequests(options: FollowOptions): AsyncGenerator<TestRequest, void, void> {
  const { service, endpointId, signal } = options
  const yielded = createRequestIds()
  let failures = 0
  let hasBegun = false
  while (!signal.aborted) {
    try {
      if (!hasBegun) yielded.addAll(await service.listRequests(endpointId, undefined, signal))
      hasBegun = true
      const stream = await service.openStream(endpointId, signal)
      options.onOpen()
      for (const request of await readMissed(service, endpointId, yielded, signal))
        if (yielded.add(request)) yield request
      failures = 0
      for await (const data of readEventStream(stream)) {
        const request = JSON.parse(data) as TestRequest // as the service's schema says
        if (yielded.add(request)) yield request
      }
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof UnreachableError)) throw error
    }
    if (signal.aborted) return
    if (failures === 0) options.onBreak()
    // Only the signal ends the pause early.
    await pause(BACK_OFF_MS[Math.min(failures++, BACK_OFF_MS.length - 1)], undefined, { signal }).catch(() => undefined)
  }
}

/** Requests that were not yielded yet, oldest first. */
async function readMissed(
  service: RemoteService,
  endpointId: string,
  yielded: RequestIds,
  signal: AbortSignal,
): Promise<TestRequest[]> {
  const found: TestRequest[] = []
  for (;;) {
    const page = await service.listRequests(endpointId, found.at(-1)?.test_request_id, signal)
    found.push(...page)
    if (page.length < PAGE_SIZE || page.some(yielded.has)) break
  }
  return found.filter((request) => !yielded.has(request)).toReversed()
}

interface RequestIds {
  has(request: TestRequest): boolean
  /** Returns false when the id was there already. */
  add(request: TestRequest): boolean
  addAll(requests: readonly TestRequest[]): void
}

function createRequestIds(): RequestIds {
  const ids = new Set<string>()
  const requestIds: RequestIds = {
    has: ({ test_request_id }) => ids.has(test_request_id),
    add({ test_request_id }) {
      if (ids.has(test_request_id)) return false
      const [oldest] = ids
      if (oldest !== undefined && ids.size >= MAX_REMEMBERED) ids.delete(oldest)
      ids.add(test_request_id)
      return true
    },
    addAll: (requests) => requests.toReversed().forEach(requestIds.add),
  }
  return requestIds
}

// Reads the data of server-sent events, one message at a time.

/** The service sends a comment every 15 seconds. */
const MAX_SILENCE_MS = 45_000
/** A request of a test endpoint has a body of at most 256 kB; each byte takes at most six characters in JSON. */
const MAX_MESSAGE_LENGTH = 4_000_000

/** Ends with the connection, when it is silent for too long, or when a message is too long. */
async function* readEventStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const messages: string[] = []
  const tooLong = new AbortController()
  const parser = createParser({
    onEvent: ({ data }) => void messages.push(data),
    onError: ({ type }) => type === 'max-buffer-size-exceeded' && tooLong.abort(),
    maxBufferSize: MAX_MESSAGE_LENGTH,
  })
  try {
    while (!tooLong.signal.aborted) {
      const read = await withTimeout(reader.read(), MAX_SILENCE_MS).catch(() => undefined)
      if (read === undefined || read.done) return
      parser.feed(decoder.decode(read.value, { stream: true }))
      yield* messages.splice(0)
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

/** Sends a request unchanged to another address. */
interface ResendAnswer {
  readonly status: number
  readonly statusText: string
  /** The beginning of the body. */
  readonly body: string
  readonly ms: number
}

/** The reason, in words for a person. */
interface NoAnswer {
  readonly problem: string
}

/** A receiver that is being debugged answers slowly. */
const TIMEOUT_MS = 60_000
const MAX_SHOWN = 300

/** Headers that describe one connection and not the request. */
const CONNECTION_HEADERS =
  /^(host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/i

async function resend(to: URL, request: TestRequest, signal: AbortSignal): Promise<ResendAnswer | NoAnswer> {
  const begun = performance.now()
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const answer = await fetch(addressOf(to, request.path), {
      method: request.method,
      headers: Object.entries(request.headers).filter(([name]) => !CONNECTION_HEADERS.test(name)),
      body: bodyOf(request),
      redirect: 'manual',
      signal: AbortSignal.any([timeout, signal]),
    })
    const body = await beginningOf(answer)
    const { status, statusText } = answer
    return { status, statusText, body, ms: Math.round(performance.now() - begun) }
  } catch (error) {
    if (timeout.aborted) return { problem: `there was no answer within ${TIMEOUT_MS / 1000} seconds` }
    return { problem: explain(error, to) }
  }
}

/** Reads only as much of the body as is shown. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length >= MAX_SHOWN) break
  }
  return text.slice(0, MAX_SHOWN)
}

/** Appends the path below the URL of the endpoint, and the query, to the URL of the receiver. */
export function addressOf(to: URL, pathAndQuery: string): string {
  const at = pathAndQuery.indexOf('?')
  const path = at < 0 ? pathAndQuery : pathAndQuery.slice(0, at)
  const query = at < 0 ? '' : pathAndQuery.slice(at + 1)
  const url = new URL(to)
  if (path !== '/') url.pathname = url.pathname.replace(/\/$/, '') + path
  if (query !== '') url.search = url.search === '' ? query : `${url.search}&${query}`
  return url.href
}

function bodyOf({ method, body, body_base64 }: TestRequest): string | Uint8Array<ArrayBuffer> | null {
  if (method === 'GET' || method === 'HEAD') return null
  return body_base64 === null ? body : Uint8Array.fromBase64(body_base64)
}

const REFUSED_CONNECTION = new Set(['ConnectionRefused', 'ECONNREFUSED', 'FailedToOpenSocket'])

function explain(error: unknown, to: URL): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (REFUSED_CONNECTION.has(code)) return `nothing listens at ${to.host}`
  return error instanceof Error ? error.message : String(error)
}

// Calls the service over HTTP with an API key.

interface RemoteService {
  getEndpoint(id: string, signal: AbortSignal): Promise<TestEndpoint>
  /** Newest first; `before` is the id of the request that precedes the page. */
  listRequests(id: string, before: string | undefined, signal: AbortSignal): Promise<TestRequest[]>
  /** The bytes of the stream of requests. */
  openStream(id: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
}

/** The service did not answer, or cannot answer at the moment. A retry may succeed. */
class UnreachableError extends Error {}

const PAGE_SIZE = 200

/** Every function throws `UnreachableError` when a retry may succeed, and `CommandError` when it cannot. */
function connectTo(service: string, key: string): RemoteService {
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
