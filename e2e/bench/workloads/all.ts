/** All workloads. A new one needs an entry in a file of this folder and a route in `floor/main.ts`. */

import type { Workload } from './workload'
import { EMAILS } from './emails'
import { ENTRIES } from './entries'
import { FILES } from './files'
import { NOTES } from './notes'
import { ORDERS } from './orders'
import { QUERIES } from './queries'
import { SEARCHES } from './searches'
import { MEETINGS } from './meetings'
import { TRANSCRIPTS } from './recordings'
import { TASKS } from './tasks'
import { THREADS } from './threads'
import { WRITES } from './writes'

export const WORKLOADS: readonly Workload[] = [
  ...WRITES,
  ...QUERIES,
  ...ORDERS,
  ...SEARCHES,
  ...ENTRIES,
  ...NOTES,
  ...TASKS,
  ...MEETINGS,
  ...THREADS,
  ...FILES,
  ...EMAILS,
  ...TRANSCRIPTS,
]
