/** Pages in the order of values in other tables than that of people. */

import { PEOPLE, type Workload } from './workload'

const sorted = (name: string, title: string, sort: object): Workload => ({
  name,
  title,
  request: () => ({
    method: 'POST',
    path: `${PEOPLE}/query`,
    body: { limit: 50, offset: 0, sorts: [{ direction: 'asc', ...sort }] },
  }),
  within: 100,
  isQuery: true,
  hasNoFloor: true,
})

export const ORDERS: readonly Workload[] = [
  sorted('by-amount', 'sorted by amount', { attribute: 'lead_value' }),
  sorted('by-status', "sorted by status' position", { attribute: 'lead_status' }),
  sorted('by-label', "sorted by company's name", { attribute: 'company' }),
  sorted('by-path', "sorted by company's industry", {
    path: [
      ['people', 'company'],
      ['companies', 'industry'],
    ],
  }),
]
