/** The requests for records of the object `wide`. */

import type { Request } from '../measure/http-client'
import type { Workload } from '../workloads/workload'
import { ADDED_STATUS, OBJECT, SCORES, wideValues } from './rows'

export const RECORDS = `/v2/objects/${OBJECT}/records`

export interface WideWorkload extends Workload {
  /** At concurrency 8: the least share of the rate of the plain floor, and the most milliseconds of CPU time. */
  readonly limits?: { readonly rate: number; readonly cpu?: number }
  /** The number of operations of a batch. */
  readonly operations?: number
  /** The least number of operations a second at concurrency 8. */
  readonly leastOperations?: number
}

/** `next` returns a new number above those of all records. */
export function wideWorkloads(ids: readonly string[], next: () => number): readonly WideWorkload[] {
  const pathOf = (n: number) => `${RECORDS}/${ids[n]}`
  return [
    {
      name: 'get',
      title: 'get by id',
      request: (random) => ({ method: 'GET', path: pathOf(random.below(ids.length)) }),
    },
    {
      name: 'page',
      title: 'status, score, newest',
      request: (random) => query(random.below(SCORES / 2)),
      limits: { rate: 0.6, cpu: 1 },
      isQuery: true,
    },
    {
      name: 'patch',
      title: 'change an indexed number',
      request: (random) => write('PATCH', pathOf(random.below(ids.length)), { score: random.below(SCORES) }),
      limits: { rate: 0.5 },
    },
    {
      name: 'create',
      title: 'create with unique email',
      request: () => write('POST', RECORDS, wideValues(next(), 'new')),
      limits: { rate: 0.5 },
    },
  ]
}

const query = (score: number): Request => ({
  method: 'POST',
  path: `${RECORDS}/query`,
  body: {
    filter: { status: ADDED_STATUS, score: { $gt: score } },
    sorts: [{ attribute: 'created_at', direction: 'desc' }],
    limit: 50,
    offset: 0,
  },
})

const write = (method: 'POST' | 'PATCH', path: string, values: object): Request => ({
  method,
  path,
  body: { data: { values } },
})
