/** One service for all tests of a file. */

import { afterAll, beforeAll, expect } from 'bun:test'

/** Starts the service before the first test and stops it after the last one; returns a function that returns it. */
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
