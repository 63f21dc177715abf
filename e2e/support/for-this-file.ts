/** One service for all tests of a file. */

import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test'

const START_MS = 90_000
const TEST_MS = 30_000

/** Starts before the first test and ends, in good order, after the last; gives the service to running tests. */
export function forThisFile<S extends { close(): Promise<number> }>(start: () => Promise<S>): () => S {
  let service: S | undefined
  setDefaultTimeout(TEST_MS)
  beforeAll(async () => {
    service = await start()
  }, START_MS)
  afterAll(async () => {
    if (service) expect(await service.close()).toBe(0)
  }, TEST_MS)
  return () => {
    if (!service) throw new Error('The service is there only while tests run.')
    return service
  }
}
