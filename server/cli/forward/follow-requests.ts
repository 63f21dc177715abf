/**
 * Every request that comes to a test endpoint from now on, once, although connections break: after each connecting, what
 * came meanwhile is read from the list of requests.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { TestRequest } from '../../resources/test-endpoints/schemas'
import { MOST_AT_ONCE, type Service, UnreachableError } from './service-client'
import { readEventStream } from './read-event-stream'

/** Between tries, the last one for all that follow. */
const WAITS_MS = [500, 1000, 2000, 5000, 10_000]
/** More than an endpoint keeps. */
const MOST_REMEMBERED = 2000

export interface Following {
  readonly service: Service
  readonly endpointId: string
  readonly signal: AbortSignal
  /** From now on nothing is missed; also after each break. */
  onOpen(): void
  onBreak(): void
}

/** Ends with the signal. Throws `CommandError` for what trying again would not change. */
export async function* followRequests(following: Following): AsyncGenerator<TestRequest, void, void> {
  const { service, endpointId, signal } = following
  const known = createMemory()
  let failures = 0
  let hasBegun = false
  while (!signal.aborted) {
    try {
      if (!hasBegun) known.addAll(await service.listRequests(endpointId, undefined, signal))
      hasBegun = true
      const stream = await service.openStream(endpointId, signal)
      following.onOpen()
      for (const request of await missed(service, endpointId, known, signal)) if (known.add(request)) yield request
      failures = 0
      for await (const data of readEventStream(stream)) {
        const request = JSON.parse(data) as TestRequest // as the service's schema says
        if (known.add(request)) yield request
      }
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof UnreachableError)) throw error
    }
    if (signal.aborted) return
    if (failures === 0) following.onBreak()
    // Only the signal ends it early.
    await pause(WAITS_MS[Math.min(failures++, WAITS_MS.length - 1)], undefined, { signal }).catch(() => undefined)
  }
}

/** What came that is not known, the oldest first. */
async function missed(
  service: Service,
  endpointId: string,
  known: Memory,
  signal: AbortSignal,
): Promise<TestRequest[]> {
  const found: TestRequest[] = []
  for (;;) {
    const page = await service.listRequests(endpointId, found.at(-1)?.test_request_id, signal)
    found.push(...page)
    if (page.length < MOST_AT_ONCE || page.some(known.has)) break
  }
  return found.filter((request) => !known.has(request)).toReversed()
}

interface Memory {
  has(request: TestRequest): boolean
  /** False when it was known. */
  add(request: TestRequest): boolean
  addAll(requests: readonly TestRequest[]): void
}

function createMemory(): Memory {
  const ids = new Set<string>()
  const memory: Memory = {
    has: ({ test_request_id }) => ids.has(test_request_id),
    add({ test_request_id }) {
      if (ids.has(test_request_id)) return false
      const [oldest] = ids
      if (oldest !== undefined && ids.size >= MOST_REMEMBERED) ids.delete(oldest)
      ids.add(test_request_id)
      return true
    },
    addAll: (requests) => requests.toReversed().forEach(memory.add),
  }
  return memory
}
