/** What is asked of both sides. To measure one more thing, add it to its file here and teach it to `floor/main.ts`. */

import type { Workload } from './workload'
import { ENTRIES } from './entries'
import { ORDERS } from './orders'
import { QUERIES } from './queries'
import { SEARCHES } from './searches'
import { WRITES } from './writes'

export const WORKLOADS: readonly Workload[] = [...WRITES, ...QUERIES, ...ORDERS, ...SEARCHES, ...ENTRIES]
