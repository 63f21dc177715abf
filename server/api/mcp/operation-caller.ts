/**
 * Calls operations of the API inside the process: the request takes the way of every other through the route guard, with the
 * caller that the endpoint for assistants authenticated. Paths and scopes are those of the OpenAPI document.
 */

import { loadOnce } from '#base/caching/caching'
import type { AuthenticationWay, Caller } from '#api/http/guard/caller'
import type { Scope } from '#vocabulary/scopes'
import { requireAllScopes } from '#base/errors/access'

/** The origin of requests inside the process. Elysia finds the path of URLs that begin with `http://` only. */
export const INNER_ORIGIN = 'http://localhost'

/** The parts of the public OpenAPI document that a call needs. */
export interface DocumentedOperations {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly operationId: string; readonly 'x-required-scopes'?: readonly Scope[] }>>
    >
  >
}

export interface OperationInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}

/** An operation answered with an error. The message is that of its body. */
export class OperationFailed extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly scopes: readonly Scope[]
}

export interface Operations {
  scopesOf(operation: string): readonly Scope[]
  /** Returns the body of the response. Throws `OperationFailed`. */
  call(caller: Caller, operation: string, input: OperationInput, signal: AbortSignal): Promise<unknown>
  /** Returns the first lines of an operation that can answer with NDJSON, and ends it there. Throws `OperationFailed`. */
  lines(caller: Caller, operation: string, input: LinesInput, signal: AbortSignal): Promise<Lines>
}

export interface LinesInput extends OperationInput {
  readonly maxLines: number
  /** Of all lines together. */
  readonly maxBytes: number
}

export interface Lines {
  readonly lines: readonly string[]
  readonly hasMore: boolean
}

/** Authenticates the requests that it sends: each has the caller of its operation. */
export interface OperationCaller extends AuthenticationWay {
  operations(): Promise<Operations>
}

/** `handle` is the application. */
export function createOperationCaller(
  readDocument: () => Promise<DocumentedOperations>,
  handle: (request: Request) => Promise<Response>,
): OperationCaller {
  const callers = new WeakMap<Request, Caller>()
  const load = async (): Promise<Operations> => {
    const byId = operationsById(await readDocument())
    const find = (id: string): Operation => {
      const operation = byId.get(id)
      if (operation === undefined) throw new Error(`There is no operation ${id}.`)
      return operation
    }
    const send = (caller: Caller, id: string, request: (operation: Operation) => Request): Promise<Response> => {
      const operation = find(id)
      requireAllScopes(caller.scopes, operation.scopes)
      const sent = request(operation)
      callers.set(sent, caller)
      return handle(sent)
    }
    return {
      scopesOf: (id) => find(id).scopes,
      call: async (caller, id, input, signal) =>
        readAnswer(
          await send(caller, id, (operation) => requestFor(operation, input, signal)),
          isRead(find(id)) ? MAX_READ_BYTES : Infinity,
        ),
      lines: async (caller, id, input, signal) =>
        readLines(await send(caller, id, (operation) => requestFor(operation, input, signal, NDJSON)), input),
    }
  }
  return { callerOf: (request) => callers.get(request), operations: loadOnce(load) }
}

const operationsById = ({ paths }: DocumentedOperations): ReadonlyMap<string, Operation> =>
  new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [
        operation.operationId,
        { method: method.toUpperCase(), path, scopes: operation['x-required-scopes'] ?? [] },
      ]),
    ),
  )

const NDJSON = 'application/x-ndjson'

function requestFor(
  { method, path }: Operation,
  { params = {}, query = {}, body }: OperationInput,
  signal: AbortSignal,
  accept = 'application/json',
) {
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(params[name] ?? ''))
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  return new Request(`${INNER_ORIGIN}${named}${search}`, {
    method,
    signal,
    headers: { 'Content-Type': 'application/json', Accept: accept },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** A segment of a path. URLs give a meaning to dots, which would lead to another operation. */
function segmentOf(text: string): string {
  if (/^\.{0,2}$/.test(text))
    throw new OperationFailed(404, `There is nothing with the slug or id ${JSON.stringify(text)}.`)
  return encodeURIComponent(text)
}

const isRead = ({ method, path }: Operation): boolean => method === 'GET' || /\/(?:query|search|sql)$/.test(path)

/** More than an assistant reads, and little enough to be parsed at once. A write has happened, so its answer is read in any case. */
const MAX_READ_BYTES = 4_000_000

async function readAnswer(response: Response, maxBytes: number): Promise<unknown> {
  const body: unknown = response.status === 204 ? undefined : JSON.parse(await readText(response, maxBytes))
  if (response.ok) return body
  const { message } = body as { message: string } // the form of every error
  throw new OperationFailed(response.status, message)
}

async function readLines(response: Response, { maxLines, maxBytes }: LinesInput): Promise<Lines> {
  if (!response.ok || response.body === null) await readAnswer(response, maxBytes)
  const chunks: Uint8Array[] = []
  let [bytes, ends, isWhole] = [0, 0, true]
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) ends++
    if (ends <= maxLines && bytes <= maxBytes) continue
    isWhole = false
    break
  }
  // What follows the last line feed is a part of a line.
  const lines = Buffer.concat(chunks).subarray(0, maxBytes).toString().split('\n').slice(0, -1)
  if (lines.length === 0 && !isWhole)
    throw new OperationFailed(400, `The first row has more than ${maxBytes} bytes. Select fewer or shorter columns.`)
  return { lines: lines.slice(0, maxLines), hasMore: !isWhole }
}

const LINE_FEED = 0x0a

/** Throws for a long answer, such as a page of records with texts of megabytes, and stops reading it. */
async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > maxBytes)
      throw new OperationFailed(
        413,
        'The answer has more than 4 MB. Ask for less: fewer `fields`, or a smaller `limit`.',
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
