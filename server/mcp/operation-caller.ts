/**
 * Calls operations of the API inside the process: the request takes the way of every other through the route guard, with the
 * caller that the endpoint for assistants authenticated. Paths and scopes are those of the OpenAPI document.
 */

import { loadOnce } from '../caching/load-once'
import type { Caller } from '../http/guard/caller'
import { requireAllScopes, type Scope } from '../scopes'

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
}

export interface OperationCaller {
  /** Returns the caller of a request that this module sent. */
  callerOf(request: Request): Caller | undefined
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
    return {
      scopesOf: (id) => find(id).scopes,
      async call(caller, id, input, signal) {
        const operation = find(id)
        requireAllScopes(caller.scopes, operation.scopes)
        const request = requestFor(operation, input, signal)
        callers.set(request, caller)
        return readAnswer(await handle(request), isRead(operation) ? MAX_READ_BYTES : Infinity)
      },
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

function requestFor(
  { method, path }: Operation,
  { params = {}, query = {}, body }: OperationInput,
  signal: AbortSignal,
) {
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(params[name] ?? ''))
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  return new Request(`${INNER_ORIGIN}${named}${search}`, {
    method,
    signal,
    headers: { 'Content-Type': 'application/json' },
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
