/** Requests for one person: read, create and change. */

import type { Request } from '../measure/http-client'
import { jobTitle, person } from '../data/people'
import type { Random } from '../data/random'
import { anyone, PEOPLE, type SeededPeople, type Workload } from './workload'

export const WRITES: readonly Workload[] = [
  {
    name: 'get',
    title: 'get by id',
    request: (random, seeded) => ({ method: 'GET', path: `${PEOPLE}/${anyone(random, seeded).id}` }),
    target: { rate: 0.6, cpu: 2 },
  },
  {
    name: 'create',
    title: 'create a person',
    request(random, seeded) {
      const company = { target_object: 'companies', target_record_id: anyone(random, seeded).company }
      return write('POST', PEOPLE, { ...person(seeded.next()), company })
    },
    target: { rate: 0.45 },
  },
  {
    name: 'patch',
    title: 'change a job title',
    request: (random, seeded) =>
      write('PATCH', `${PEOPLE}/${anyone(random, seeded).id}`, { job_title: newTitle(random, seeded) }),
    target: { rate: 0.45 },
  },
  {
    name: 'append',
    title: 'add an e-mail address',
    request: (random, seeded) =>
      write('PATCH', `${PEOPLE}/${anyone(random, seeded).id}`, {
        email_addresses: [`extra.${seeded.next()}@example.com`],
      }),
  },
  {
    name: 'upsert',
    title: 'upsert by e-mail address',
    request: (random, seeded) =>
      write('PUT', `${PEOPLE}?matching_attribute=email_addresses`, {
        email_addresses: [anyone(random, seeded).email],
        job_title: newTitle(random, seeded),
      }),
  },
]

const write = (method: 'POST' | 'PUT' | 'PATCH', path: string, values: object): Request => ({
  method,
  path,
  body: { data: { values } },
})

/** Returns a new title each time, so that each write changes something. */
const newTitle = (random: Random, seeded: SeededPeople): string => `${jobTitle(random)} ${seeded.next()}`
