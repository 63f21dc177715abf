/**
 * Sends requests and gathers what is wrong with the answers, and which requests held the service's event loop. Several go
 * at once; where the loop was held meanwhile, each goes again alone, until it did not hold the loop or is at fault.
 */

import { requestText, sendRaw } from '../support/http/raw-http'
import { type AnswerForm, problemOf } from './form'
import { type LoopMonitor, parsingTime } from './loop-monitor'

export interface HostileRequest {
  /** What is wrong with it, in words. */
  readonly about: string
  readonly method: string
  /** With the query string, as it goes over the wire. */
  readonly path: string
  readonly form: AnswerForm
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** Lines among the headers, as they are. */
  readonly lines?: readonly string[]
  /** Statuses it must be answered with. */
  readonly statuses?: readonly number[]
  /** Looks at an answer that is in form; undefined when it finds nothing wrong. */
  readonly problemOf?: (status: number, text: string) => string | undefined
}

export interface Target {
  readonly url: string
  readonly monitor: LoopMonitor
}

/** Processor time, in milliseconds, for which one request may hold the event loop. */
const LONGEST_TURN_MS = 50
/** The same of a body that takes long to parse: so many times as long as parsing it takes. */
const MOST_PER_PARSING = 4
const ATTEMPTS = 6
const AT_ONCE = 12
const MOST_BYTES_AT_ONCE = 500_000
/** Smaller bodies are read whole, or fit into what the machine keeps of a connection. */
const SMALLEST_LOST = 60_000

/** How long parsing this takes says how fast the machine is just now; on one of 2020 it takes 20 ms. */
const REFERENCE = new TextEncoder().encode(`[${'1,'.repeat(1_000_000)}1]`)
const REFERENCE_MS = 20

/** What is wrong, in words; nothing when every answer may be given. */
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

/** What is no HTTP never reaches us: the runtime closes the connection, without a word about itself. */
const isRefusedByRuntime = (
  { lines, path }: HostileRequest,
  { status, body }: { readonly status: number; readonly body: string },
): boolean => (lines !== undefined || path.length > 16_000) && [0, 400, 431, 505].includes(status) && body === ''

/**
 * The service answers a body that is too large before it has read it, and closes the connection: to a client that still
 * writes, the answer may be lost. RFC 9112, 9.6.
 */
const isLost = ({ body = '' }: HostileRequest, { status }: { readonly status: number }): boolean =>
  status === 0 && body.length > SMALLEST_LOST

async function slownessOf(target: Target, request: HostileRequest): Promise<string[]> {
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await target.monitor.longestTurn()
    await faultOf(target, request)
    least = Math.min(least, await target.monitor.longestTurn())
    most = Math.max(most, allowedTurn(request))
    if (least <= most) return []
  }
  return [
    `${nameOf(request)}: holds the event loop for ${Math.round(least)} ms of processor time, ${Math.round(most)} allowed`,
  ]
}

function allowedTurn({ body }: HostileRequest): number {
  const speed = Math.max(1, parsingTime(REFERENCE) / REFERENCE_MS)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return LONGEST_TURN_MS * speed + MOST_PER_PARSING * (bytes === undefined ? 0 : parsingTime(bytes))
}

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
