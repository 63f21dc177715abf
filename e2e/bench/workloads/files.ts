/** The files of a record. */

import { anyone, type Workload } from './workload'

export const FILES: readonly Workload[] = [
  {
    name: 'file-record',
    title: 'files of a record',
    request: (random, seeded) => ({
      method: 'GET',
      path: `/v2/files?object=people&record_id=${anyone(random, seeded).id}`,
    }),
    target: { rate: 0.4 },
    within: 20,
    needs: 'files',
  },
]
