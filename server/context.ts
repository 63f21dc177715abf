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

/** Who acts in which workspace, and with what. Imports and requests to the API have one; every operation takes it first. */
export interface RequestContext {
  /** The data model of the workspace when the request began. */
  readonly model: DataModel
  /** Loads the newest data model, for a write whose model is out of date. */
  readonly reloadModel: () => Promise<DataModel>
  /** The number of the actor that is stored with each write. */
  readonly actor: number
  /** The member who acts, or who authorised the token. */
  readonly memberId?: string
  /** The app or API key that sends the request, as in tokens. Absent for a member and for the service itself. */
  readonly clientId?: string
  readonly scopes: ReadonlySet<Scope>
  readonly db: Database
  readonly now: Clock
  /** Aborted when the client has closed the connection. */
  readonly signal?: AbortSignal
  readonly indexes?: IndexAdvisor
  readonly budget?: CostLimit
}

/** The context of a request to the API: with what only the resources use. */
export interface ApiContext extends RequestContext {
  readonly targets?: TargetPolicy
  readonly events?: EventPipeline
  /** As in `ServiceSettings`. */
  readonly appUrl: string
  /** As in `ServiceSettings`. */
  readonly objectQuota: number
}
