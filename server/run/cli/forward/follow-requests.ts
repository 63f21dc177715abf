/**
 * Yields every new request of a test endpoint once, even when connections break: after each connection, it reads the
 * requests that arrived in the meantime from the list of requests.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { TestRequest } from '#api/resources/test-endpoints/schemas'
import { PAGE_SIZE, type RemoteService, UnreachableError } from './service-client'
import { createParser } from 'eventsource-parser'
import { withTimeout } from '#base/timing/wait'

/** The back-off between connections; the last value applies to all further ones. */
const BACK_OFF_MS = [500, 1000, 2000, 5000, 10_000]
/** More than the service stores for one endpoint. */
const MAX_REMEMBERED = 2000

export interface FollowOptions {
  readonly service: RemoteService
  readonly endpointId: string
  readonly signal: AbortSignal
  /** Called after each connection; from then on, no request is missed. */
  onOpen(): void
  onBreak(): void
}

/** Ends when the signal is aborted. Throws `CommandError` for an error that a retry would not solve. */
export async function* followRequests(options: FollowOptions): AsyncGenerator<TestRequest, void, void> {
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
