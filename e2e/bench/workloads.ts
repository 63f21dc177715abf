/** All workloads. A new workload is added to a file of `workloads`, and its request to `floor.ts`. */

import type { Workload } from './workload'
import { ENTRIES } from './workloads/entries'
import { ORDERS } from './workloads/orders'
import { QUERIES } from './workloads/queries'
import { SEARCHES } from './workloads/searches'
import { WRITES } from './workloads/writes'

export const WORKLOADS: readonly Workload[] = [...WRITES, ...QUERIES, ...ORDERS, ...SEARCHES, ...ENTRIES]
