/** A workload: one kind of request, sent to both sides. */

import type { Sql } from '../../../db/connect'
import type { Request } from '../measure/http-client'
import type { Random } from '../data/random'

/** The people that are there before anything is measured. */
export interface Loaded {
  readonly people: readonly LoadedPerson[]
  /** A number that was never given before, above those of the people that are there. */
  next(): number
}

export interface LoadedPerson {
  readonly id: string
  readonly company: string
  readonly email: string
}

export interface Workload {
  readonly name: string
  readonly title: string
  readonly request: (random: Random, loaded: Loaded) => Request
  /** At concurrency 8: of the floor's rate at least, of its processor time at most. */
  readonly target?: { readonly rate: number; readonly cpu?: number }
  /** One at a time: how many milliseconds half of them may take at most. */
  readonly within?: number
  /** Asks for indexes: it is asked some times before anything is measured, and measured once they are made. */
  readonly isQuery?: true
  /** Needs the lists. */
  readonly isOfEntries?: true
  /** Needs the tasks. */
  readonly isOfTasks?: true
  /** Needs the threads. */
  readonly isOfThreads?: true
  /** Throws when what was written is not as it must be. */
  readonly check?: (sql: Sql) => Promise<void>
  /** The floor knows nothing like it. */
  readonly hasNoFloor?: true
}

export const PEOPLE = '/v2/objects/people/records'

export function anyone(random: Random, { people }: Loaded): LoadedPerson {
  const found = people[random.below(people.length)]
  if (!found) throw new Error('There are no people.')
  return found
}
