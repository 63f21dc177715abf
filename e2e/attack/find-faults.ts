/**
 * Sends requests and collects the faults of the responses, and the requests that blocked the event loop of the service.
 * Several requests run concurrently. When the loop was blocked, each of them is sent again alone, several times.
 */

import { requestText, sendRaw } from '../support/http/raw-http'
import { type AnswerForm, problemOf } from './form'
import { type LoopMonitor, parsingTime } from './loop-monitor'

export interface HostileRequest {
  /** Describes what is hostile in the request. */
  readonly about: string
  readonly method: string
  /** The path with the query string. */
  readonly path: string
  readonly form: AnswerForm
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** Further lines of the header, sent unchanged. */
  readonly lines?: readonly string[]
  /** The allowed statuses of the response. */
  readonly statuses?: readonly number[]
  /** Checks a well-formed response. Returns undefined when it has no fault. */
  readonly problemOf?: (status: number, text: string) => string | undefined
}

export interface Target {
  readonly url: string
  readonly monitor: LoopMonitor
}

/** The CPU time in milliseconds for which one request may block the event loop. */
const LONGEST_TURN_MS = 50
const ATTEMPTS = 6
const AT_ONCE = 12
const MOST_BYTES_AT_ONCE = 500_000
/** Smaller bodies are read completely, or fit into the socket buffers. */
const SMALLEST_LOST = 60_000

/** A text whose parsing time shows the present speed of the machine. A machine of 2020 takes 20 ms. */
const REFERENCE = new TextEncoder().encode(`[${'1,'.repeat(1_000_000)}1]`)
const REFERENCE_MS = 20

/** Returns descriptions of the faults; none when every response is allowed. */
export async function findFaults(target: Target, requests: Iterable<HostileRequest>): Promise<string[]> {
  const faults: string[] = []
  await target.monitor.longestTurn()
  for (const batch of batchesOf(requests)) {
    const found = await Promise.all(batch.map((request) => faultOf(target, request)))
    faults.push(...found.flatMap((fault) => fault ?? []))
    if ((await target.monitor.longestTurn()) <= LONGEST_TURN_MS) continue
    for (const request of batch) faults.push(...(await slownessOf(target, request)))
  }
  return faults
}

function* batchesOf(requests: Iterable<HostileRequest>): Generator<HostileRequest[]> {
  let batch: HostileRequest[] = []
  let bytes = 0
  for (const request of requests) {
    const size = request.body?.length ?? 0
    if (batch.length === AT_ONCE || (batch.length > 0 && bytes + size > MOST_BYTES_AT_ONCE)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(request)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

async function faultOf({ url }: Target, request: HostileRequest): Promise<string | undefined> {
  try {
    const answer = await send(url, request)
    const problem =
      isRefusedByRuntime(request, answer) || isLost(request, answer) ? undefined : problemIn(request, answer)
    return problem === undefined ? undefined : `${nameOf(request)}: ${problem}`
  } catch (error) {
    return `${nameOf(request)}: ${String(error)}`
  }
}

function problemIn(
  request: HostileRequest,
  { status, headers, body: text }: Awaited<ReturnType<typeof send>>,
): string | undefined {
  const type = headers['content-type'] ?? ''
  const [path = ''] = request.path.split('?')
  const problem = problemOf(request.method, path, request.form, { status, type, text })
  if (problem !== undefined) return problem
  if (request.statuses !== undefined && !request.statuses.includes(status))
    return `${status} instead of ${request.statuses.join(' or ')}: ${text.slice(0, 300)}`
  return request.problemOf?.(status, text)
}

/** The runtime refuses invalid HTTP and closes the connection, before the service sees the request. */
const isRefusedByRuntime = (
  { lines, path }: HostileRequest,
  { status, body }: { readonly status: number; readonly body: string },
): boolean => (lines !== undefined || path.length > 16_000) && [0, 400, 431, 505].includes(status) && body === ''

/**
 * The service answers a request whose body is too large before it has read the body, and closes the connection. A client
 * that still writes may lose the response. RFC 9112, 9.6.
 */
const isLost = ({ body = '' }: HostileRequest, { status }: { readonly status: number }): boolean =>
  status === 0 && body.length > SMALLEST_LOST

const slownessOf = (target: Target, request: HostileRequest): Promise<string[]> =>
  findSlowness(target.monitor, nameOf(request), () => faultOf(target, request))

/** Returns a fault if the work blocks the event loop of the service for longer than allowed, each of several times. */
export async function findSlowness(
  monitor: LoopMonitor,
  name: string,
  work: () => Promise<unknown>,
): Promise<string[]> {
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await monitor.longestTurn()
    await work()
    least = Math.min(least, await monitor.longestTurn())
    most = Math.max(most, allowedTurn())
    if (least <= most) return []
  }
  return [`${name}: holds the event loop for ${Math.round(least)} ms of processor time, ${Math.round(most)} allowed`]
}

/** The CPU time for which work may block the event loop at the present speed of the machine. */
const allowedTurn = (): number => LONGEST_TURN_MS * Math.max(1, parsingTime(REFERENCE) / REFERENCE_MS)

async function send(url: string, { method, path, headers = {}, lines = [], body = '' }: HostileRequest) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const length = bytes.length > 0 || method !== 'GET' ? [`Content-Length: ${bytes.length}`] : []
  const host = lines.some((line) => line.startsWith('Host:')) ? [] : [`Host: ${new URL(url).host}`]
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = requestText(method, path, [...host, ...named, ...length, ...lines])
  return sendRaw(url, bytes.length === 0 ? head : Buffer.concat([Buffer.from(head, 'latin1'), bytes]))
}

const nameOf = ({ method, path, about }: HostileRequest): string =>
  `${method} ${path.slice(0, 200)}, ${about.slice(0, 200)}`
