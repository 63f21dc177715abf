/** Pages of people: plain, filtered, sorted, and with a large offset. */

import type { Request } from '../measure/http-client'
import { anyone, PEOPLE, type Workload } from './workload'
import { INDUSTRIES, LEAD_STATUSES, PLACES, RARE_LAST_NAME } from '../data/words'

const query = (body: object): Request => ({ method: 'POST', path: `${PEOPLE}/query`, body })
const firstPage = (body: object): Request => query({ ...body, limit: 50, offset: 0 })

/** The targets of a page of 50. */
const PAGE = { target: { rate: 0.6, cpu: 2 }, within: 100, isQuery: true } as const

/** Each occurs in one of fourteen to thirty names. */
const COMMON = ['mar', 'ann', 'son', 'mart', 'lar', 'fern'] as const

const INDUSTRY_OF_COMPANY = [
  ['people', 'company'],
  ['companies', 'industry'],
]

export const QUERIES: readonly Workload[] = [
  {
    ...PAGE,
    name: 'page',
    title: 'page of 50',
    request: (random) => query({ limit: 50, offset: random.below(10) * 50 }),
  },
  {
    ...PAGE,
    name: 'page-500',
    title: 'page of 500',
    request: () => query({ limit: 500, offset: 0 }),
    target: { rate: 0.7 },
  },
  {
    ...PAGE,
    name: 'email',
    title: 'e-mail address equals',
    request: (random, seeded) => firstPage({ filter: { email_addresses: anyone(random, seeded).email } }),
  },
  {
    ...PAGE,
    name: 'rare-name',
    title: 'name contains, rare',
    request: (random) => firstPage({ filter: { name: { $contains: RARE_LAST_NAME.slice(random.below(3)) } } }),
  },
  {
    ...PAGE,
    name: 'common-name',
    title: 'name contains, common',
    request: (random) => firstPage({ filter: { name: { $contains: random.one(COMMON) } } }),
  },
  {
    ...PAGE,
    name: 'status-amount',
    title: 'status, amount, sorted',
    request: (random) =>
      firstPage({
        filter: { lead_status: random.one(LEAD_STATUSES), lead_value: { $gt: 50_000 + random.below(40_000) } },
        sorts: [{ attribute: 'lead_value', direction: 'desc' }],
      }),
  },
  {
    ...PAGE,
    name: 'path',
    title: "company's industry",
    request: (random) => firstPage({ filter: { path: INDUSTRY_OF_COMPANY, constraints: random.one(INDUSTRIES) } }),
  },
  {
    ...PAGE,
    name: 'path-sorted',
    title: '… sorted by name',
    request: (random) =>
      firstPage({
        filter: { path: INDUSTRY_OF_COMPANY, constraints: random.one(INDUSTRIES) },
        sorts: [{ attribute: 'name', direction: 'asc' }],
      }),
  },
  {
    ...PAGE,
    name: 'either',
    title: 'one or the other, not empty',
    request: (random) =>
      firstPage({
        filter: {
          $and: [
            {
              $or: [
                { job_title: { $contains: 'director' } },
                { primary_location: { locality: random.one(PLACES).locality } },
              ],
            },
            { phone_numbers: { $not_empty: true } },
          ],
        },
      }),
  },
  {
    ...PAGE,
    name: 'ids',
    title: '100 ids',
    request: (random, seeded) => {
      const ids = Array.from({ length: 100 }, () => anyone(random, seeded).id)
      return query({ filter: { record_id: { $in: ids } }, limit: 100, offset: 0 })
    },
  },
  {
    ...PAGE,
    name: 'offset',
    title: 'offset 100,000',
    request: () => query({ limit: 50, offset: 100_000 }),
  },
  {
    name: 'count',
    title: 'count of everything',
    request: () => query({ limit: 1, offset: 0, include_count: true }),
    within: 500,
    isQuery: true,
  },
]
