/** One service for all tests of a file. */

import { afterAll, beforeAll, expect } from 'bun:test'

/** Starts before the first test and ends, in good order, after the last; gives the service to running tests. */
export function forThisFile<S extends { close(): Promise<number> }>(start: () => Promise<S>): () => S {
  let service: S | undefined
  beforeAll(async () => {
    service = await start()
  })
  afterAll(async () => {
    if (service) expect(await service.close()).toBe(0)
  })
  return () => {
    if (!service) throw new Error('The service is there only while tests run.')
    return service
  }
}
