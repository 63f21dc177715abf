/** What is asked of both sides. To measure one more thing, add a line here and teach it to `floor.ts`. */

import type { Request } from './http-client'
import { jobTitle, person } from './people'
import type { Random } from './random'

/** The people that are there before anything is measured. */
export interface Loaded {
  readonly people: readonly { readonly id: string; readonly company: string; readonly email: string }[]
  /** A number that was never given before, above those of the people that are there. */
  next(): number
}

export interface Workload {
  readonly name: string
  readonly title: string
  readonly request: (random: Random, loaded: Loaded) => Request
  /** At concurrency 8: of the floor's rate at least, of its processor time at most. */
  readonly target?: { readonly rate: number; readonly cpu?: number }
}

const RECORDS = '/v2/objects/people/records'

export const WORKLOADS: readonly Workload[] = [
  {
    name: 'get',
    title: 'get by id',
    request: (random, loaded) => ({ method: 'GET', path: `${RECORDS}/${anyone(random, loaded).id}` }),
    target: { rate: 0.6, cpu: 2 },
  },
  {
    name: 'create',
    title: 'create a person',
    request(random, loaded) {
      const company = { target_object: 'companies', target_record_id: anyone(random, loaded).company }
      return write('POST', RECORDS, { ...person(loaded.next()), company })
    },
    target: { rate: 0.45 },
  },
  {
    name: 'patch',
    title: 'change a job title',
    request: (random, loaded) =>
      write('PATCH', `${RECORDS}/${anyone(random, loaded).id}`, { job_title: newTitle(random, loaded) }),
    target: { rate: 0.45 },
  },
  {
    name: 'append',
    title: 'add an e-mail address',
    request: (random, loaded) =>
      write('PATCH', `${RECORDS}/${anyone(random, loaded).id}`, {
        email_addresses: [`extra.${loaded.next()}@example.com`],
      }),
  },
  {
    name: 'upsert',
    title: 'upsert by e-mail address',
    request: (random, loaded) =>
      write('PUT', `${RECORDS}?matching_attribute=email_addresses`, {
        email_addresses: [anyone(random, loaded).email],
        job_title: newTitle(random, loaded),
      }),
  },
  {
    name: 'page',
    title: 'page of 50',
    request: (random) => ({
      method: 'POST',
      path: `${RECORDS}/query`,
      body: { limit: 50, offset: random.below(10) * 50 },
    }),
  },
]

const write = (method: 'POST' | 'PUT' | 'PATCH', path: string, values: object): Request => ({
  method,
  path,
  body: { data: { values } },
})

/** Another one each time, so that each write changes something. */
const newTitle = (random: Random, loaded: Loaded): string => `${jobTitle(random)} ${loaded.next()}`

function anyone(random: Random, { people }: Loaded): Loaded['people'][number] {
  const found = people[random.below(people.length)]
  if (!found) throw new Error('There are no people.')
  return found
}
