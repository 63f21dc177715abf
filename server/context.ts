/** What a process is made of, and one request to it. Every operation takes the request context first. */

import type { Database } from '../db/connect'
import type { ModelCache } from './data-model/cache'
import type { DataModel } from './data-model/model'
import type { Mailer } from './email/send-email'
import type { Metrics } from './http/monitoring/metrics'
import type { RateLimiter } from './http/rate-limit/rate-limiter'
import type { IndexAdvisor } from './indexes/advisor'
import type { CostLimit } from './query/planning/cost-limit'
import type { Scope } from './scopes'
import type { Clock } from './timing/clock'
import type { EventPipeline } from './webhooks/event-pipeline'
import type { TargetPolicy } from './webhooks/send/target'

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
  readonly settings: ServiceSettings
}

/** The worker that runs imports; `console/imports/worker.ts` implements it. */
export interface ImportWorker {
  /** Looks for an import to run. */
  wake(): void
}

export interface ServiceSettings {
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

export interface RequestContext {
  /** The workspace's data model as known when the call began; its `workspace` says which workspace this is. */
  readonly model: DataModel
  /** The newest data model, for a write that found its own out of date. */
  readonly reloadModel: () => Promise<DataModel>
  /** The number of the actor stamped on what this call writes. */
  readonly actor: number
  /** The member who acts, or who authorised the token that does. */
  readonly memberId?: string
  /** The app or API key that calls, as in tokens. Absent where a member acts, or the service itself. */
  readonly clientId?: string
  readonly scopes: ReadonlySet<Scope>
  readonly db: Database
  readonly now: Clock
  /** Aborted when nobody waits for the answer any more. Absent where somebody always does. */
  readonly signal?: AbortSignal
  /** As of the `AppContext`; absent in calls that come from elsewhere. */
  readonly indexes?: IndexAdvisor
  readonly budget?: CostLimit
  readonly targets?: TargetPolicy
  readonly events?: EventPipeline
  /** Where people find this service with a browser, without a trailing slash; `web_url`s begin with it. */
  readonly appUrl: string
  /** How many custom objects a workspace may have. */
  readonly objectQuota: number
}
