/** Requests for one person: read, create and change. */

import type { Request } from '../measure/http-client'
import { jobTitle, person } from '../data/people'
import type { Random } from '../data/random'
import { anyone, PEOPLE, type Loaded, type Workload } from './workload'

export const WRITES: readonly Workload[] = [
  {
    name: 'get',
    title: 'get by id',
    request: (random, loaded) => ({ method: 'GET', path: `${PEOPLE}/${anyone(random, loaded).id}` }),
    target: { rate: 0.6, cpu: 2 },
  },
  {
    name: 'create',
    title: 'create a person',
    request(random, loaded) {
      const company = { target_object: 'companies', target_record_id: anyone(random, loaded).company }
      return write('POST', PEOPLE, { ...person(loaded.next()), company })
    },
    target: { rate: 0.45 },
  },
  {
    name: 'patch',
    title: 'change a job title',
    request: (random, loaded) =>
      write('PATCH', `${PEOPLE}/${anyone(random, loaded).id}`, { job_title: newTitle(random, loaded) }),
    target: { rate: 0.45 },
  },
  {
    name: 'append',
    title: 'add an e-mail address',
    request: (random, loaded) =>
      write('PATCH', `${PEOPLE}/${anyone(random, loaded).id}`, {
        email_addresses: [`extra.${loaded.next()}@example.com`],
      }),
  },
  {
    name: 'upsert',
    title: 'upsert by e-mail address',
    request: (random, loaded) =>
      write('PUT', `${PEOPLE}?matching_attribute=email_addresses`, {
        email_addresses: [anyone(random, loaded).email],
        job_title: newTitle(random, loaded),
      }),
  },
]

const write = (method: 'POST' | 'PUT' | 'PATCH', path: string, values: object): Request => ({
  method,
  path,
  body: { data: { values } },
})

/** Returns a new title each time, so that each write changes something. */
const newTitle = (random: Random, loaded: Loaded): string => `${jobTitle(random)} ${loaded.next()}`
