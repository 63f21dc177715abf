/** Threads of comments on records. */

import { readAbout, type Workload } from './workload'

export const THREADS: readonly Workload[] = [
  readAbout(
    { name: 'threads', title: 'the threads of a record', needs: 'threads', rate: 0.5 },
    ({ id }) => `/v2/threads?object=people&record_id=${id}`,
  ),
]
