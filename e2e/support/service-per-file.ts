/** One service for all tests of a file. */

import { afterAll, beforeAll, expect } from 'bun:test'

/** Starts a service before the first test and stops it after the last. The returned function gives tests the service. */
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
