/** A service and people for all tests of a file. */

import { afterAll, beforeAll } from 'bun:test'
import type { MemberAccessLevel } from '#access/members/memberships'
import { type Person, signedIn } from './people'
import { type TestService, testService } from './service'

/**
 * Starts the service before the tests, and closes it after them. Hooks and tests may use its members. Before that, only `request` may be
 * handed on, as to the clients of this folder.
 */
export function useTestService(...parameters: Parameters<typeof testService>): TestService {
  let started: TestService | undefined
  const request: TestService['request'] = (...words) => {
    if (started === undefined) throw new Error('The service starts before the first test.')
    return started.request(...words)
  }
  const service = { request } as TestService // has its other members when the hook below has ended
  beforeAll(async () => {
    started = await testService(...parameters)
    Object.assign(service, started)
  })
  afterAll(() => service.close())
  return service
}

/** Signs in a member of the first workspace before the tests. Hooks and tests may use the members of the result. */
export function usePerson(service: TestService, level: MemberAccessLevel = 'admin'): Person {
  const person = {} as Person // has its members when the hook below has ended
  beforeAll(async () => {
    Object.assign(person, await signedIn(service, { [service.workspaceId]: level }))
  })
  return person
}
