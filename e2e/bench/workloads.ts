/** What is asked of both sides. To measure one more thing, add it to its file here and teach it to `floor.ts`. */

import type { Workload } from './workload'
import { ENTRIES } from './workloads/entries'
import { ORDERS } from './workloads/orders'
import { QUERIES } from './workloads/queries'
import { SEARCHES } from './workloads/searches'
import { TASKS } from './workloads/tasks'
import { THREADS } from './workloads/threads'
import { WRITES } from './workloads/writes'

export const WORKLOADS: readonly Workload[] = [
  ...WRITES,
  ...QUERIES,
  ...ORDERS,
  ...SEARCHES,
  ...ENTRIES,
  ...THREADS,
  ...TASKS,
]
