/** Threads of comments on records. */

import { anyone, type Workload } from './workload'

export const THREADS: readonly Workload[] = [
  {
    name: 'threads',
    title: 'the threads of a record',
    request: (random, seeded) => ({
      method: 'GET',
      path: `/v2/threads?object=people&record_id=${anyone(random, seeded).id}`,
    }),
    target: { rate: 0.5 },
    within: 20,
    needs: 'threads',
  },
]
