/** A workload: one kind of request, sent to both sides. */

import type { Sql } from '#db/connect'
import type { Request } from '../measure/http-client'
import type { Random } from '../data/random'

/** The people before the measurement. */
export interface SeededPeople {
  readonly people: readonly SeededPerson[]
  /** Returns a new number above those of all people. */
  next(): number
}

export interface SeededPerson {
  readonly id: string
  readonly company: string
  readonly email: string
}

/** The rows beside people that a workload needs; `seeds/all.ts` makes them. */
export type SeedName = 'emails' | 'entries' | 'files' | 'meetings' | 'notes' | 'recordings' | 'tasks' | 'threads'

export interface Workload {
  readonly name: string
  readonly title: string
  readonly request: (random: Random, seeded: SeededPeople) => Request
  /** At concurrency 8: the least share of the floor's rate, and the largest multiple of its CPU time. */
  readonly target?: { readonly rate: number; readonly cpu?: number }
  /** At concurrency 1: the limit for the median time in milliseconds. */
  readonly within?: number
  /** The query requests indexes. It is sent some times first, and measured when they are built. */
  readonly isQuery?: true
  readonly needs?: SeedName
  /** Throws when the written data is wrong. */
  readonly check?: (sql: Sql) => Promise<void>
  /** The floor does not have this workload. */
  readonly hasNoFloor?: true
}

/** The email address of the admin whom the first start of the service makes. */
export const ADMIN = 'admin@relata.local'

export const PEOPLE = '/v2/objects/people/records'

export function anyone(random: Random, { people }: SeededPeople): SeededPerson {
  const found = people[random.below(people.length)]
  if (!found) throw new Error('There are no people.')
  return found
}

interface ReadAbout extends Pick<Workload, 'name' | 'title'> {
  readonly needs: SeedName
  /** The least share of the floor's rate. Undefined when the floor does not have the workload. */
  readonly rate?: number
}

/** A read whose path names one person. */
export const readAbout = ({ rate, ...workload }: ReadAbout, path: (person: SeededPerson) => string): Workload => ({
  ...workload,
  request: (random, seeded) => ({ method: 'GET', path: path(anyone(random, seeded)) }),
  within: 20,
  ...(rate === undefined ? { hasNoFloor: true } : { target: { rate } }),
})
