/** What the application is made of; `main.ts` makes one, tests make their own. */

import type { Database } from '../db/connect'
import type { ImportWorker } from './console/imports/worker'
import type { ModelCache } from './data-model/cache'
import type { EventPipeline } from './webhooks/event-pipeline'
import type { TargetPolicy } from './webhooks/send/target'
import type { IndexAdvisor } from './indexes/advisor'
import type { RateLimiter } from './http/rate-limit/rate-limiter'
import type { Mailer } from './email/send-email'
import type { Metrics } from './http/monitoring/metrics'
import type { CostLimit } from './query/planning/cost-limit'
import type { Clock } from './timing/clock'

export interface AppContext {
  readonly db: Database
  readonly models: ModelCache
  readonly now: Clock
  /** Notes which indexes queries would have used. */
  readonly indexes: IndexAdvisor
  /** What record queries may cost. Absent: anything. */
  readonly budget?: CostLimit
  /** How many requests callers may make. Absent: any number. */
  readonly limits?: RateLimiter
  /** Where webhooks may be sent. Absent: anywhere. */
  readonly targets?: TargetPolicy
  /** What happens to events once they are written. Absent: they wait. */
  readonly events?: EventPipeline
  /** Counts what is answered. Absent: nothing is. */
  readonly metrics?: Metrics
  /** Runs imports that were begun at the console. Absent: they wait. */
  readonly imports?: ImportWorker
  /** Aborted when the service stops: what goes on without end ends then. */
  readonly shutdownSignal?: AbortSignal
  /** Letters to people. */
  readonly mail: Mailer
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
  /** As which kind of actor apps write. */
  readonly appActor: 'app' | 'api-token'
  /** The largest body accepted, in bytes. */
  readonly bodyLimit: number
  /** The largest file that is imported, in bytes. */
  readonly importLimit: number
  /** How many custom objects a workspace may have. */
  readonly objectQuota: number
}
