/** What the application is made of; `main.ts` makes one, tests make their own. */

import type { Database } from '../db/connect'
import type { ModelCache } from './data-model/cache'
import type { Targets } from './delivery/target'
import type { IndexWatch } from './indexes/watch'
import type { QueryBudget } from './query/budget'
import type { Clock } from './time'

export interface Platform {
  readonly db: Database
  readonly models: ModelCache
  readonly now: Clock
  /** Notes which indexes queries would have used. */
  readonly indexes: IndexWatch
  /** What record queries may cost. Absent: anything. */
  readonly budget?: QueryBudget
  /** Where webhooks may be sent. Absent: anywhere. */
  readonly targets?: Targets
  readonly settings: Settings
}

export interface Settings {
  /** Lower-case; stands in the names of response headers. */
  readonly brand: string
  /** What introspection names as the issuer of tokens. */
  readonly issuer: string
  /** Where people find this service with a browser, without a trailing slash. */
  readonly appUrl: string
  /** How many proxies stand in front, each naming in X-Forwarded-For whom it heard. */
  readonly trustedProxies: number
  /** The largest body accepted, in bytes. */
  readonly bodyLimit: number
  /** How many custom objects a workspace may have. */
  readonly objectQuota: number
}
