/** The parts of a process (`AppContext`) and of one request (`RequestContext`, `ApiContext`). */

import type { Database } from '#db/connect'
import type { OpenIdClient, OpenIdProvider } from './access/providers/openid-client'
import type { BackupSettings } from './access/installation/backup-schedule'
import type { ResolveTxt } from './access/domains/domains'
import type { BlobStore } from './crm/blobs/blob-store'
import type { ModelCache } from './engine/data-model/cache'
import type { DataModel } from './engine/data-model/model'
import type { Mailer } from './crm/email/send-email'
import type { PictureClient } from './crm/record-pictures/picture-client'
import type { Metrics } from './api/http/monitoring/metrics'
import type { RecentRequests } from './api/http/recent-requests/recent-requests'
import type { RequestCounter, RequestMonitor } from './api/http/monitoring/observe-requests'
import type { Replica } from './api/http/replica/replica'
import type { RequestLimiter, StreamLimiter } from './api/http/concurrency/request-limiter'
import type { RateLimiter } from './api/http/rate-limit/rate-limiter'
import type { IndexAdvisor } from './engine/indexes/advisor'
import type { CostLimit } from './engine/query/planning/cost-limit'
import type { VideoClient } from './api/resources/call-recordings/fetch/video-client'
import type { WriteLog } from './engine/storage/write-log'
import type { Scope, TokenLevel } from './vocabulary/scopes'
import type { SqlRunner } from './engine/sql/run/sql-runner'
import type { Clock } from './base/timing/clock'
import type { EventPipeline } from './events/webhooks/event-pipeline'
import type { TargetPolicy } from './events/webhooks/send/target'
import type { AccountServers } from './transfer/connected-accounts/servers'

export interface AppContext {
  readonly db: Database
  readonly models: ModelCache
  readonly now: Clock
  /** Stores the bytes of files outside of the database. */
  readonly blobs: BlobStore
  /** Notes which indexes queries would have used. */
  readonly indexes: IndexAdvisor
  /** Limits the score of record queries. Without it, no query is refused for its score. */
  readonly costLimit?: CostLimit
  /** Limits the requests of callers. Without it, no request is counted. */
  readonly limits?: RateLimiter
  /** Limits how many requests run concurrently. Without it, all run at once. */
  readonly concurrency?: RequestLimiter
  /** The replica on which reads of callers run. Without it, they run on the primary. */
  readonly replica?: Replica | undefined
  /** Limits how many event streams are open. Without it, any number may be. */
  readonly streams?: StreamLimiter
  /** Decides which addresses may be the target of a webhook. Without it, every address may. */
  readonly targets?: TargetPolicy
  /** Publishes change events and delivers them to webhooks. Without it, they stay in the outbox. */
  readonly events?: EventPipeline
  /** Work in the background pauses only while requests arrive. */
  readonly requests: RequestCounter
  /** Collects the requests of API keys and apps that the console shows. Without it, none are collected. */
  readonly recentRequests?: RecentRequests
  /** Counts responses for `/metrics`. Undefined when metrics are off. */
  readonly metrics?: Metrics
  /** Logs and traces requests. Undefined when neither is on, and no statement is to be logged. */
  readonly monitor?: RequestMonitor
  /** The workers of this process. Without them, what is queued stays in its table. */
  readonly workers?: WakeableWorkers
  /** Fetches the pictures of records from other hosts. */
  readonly pictures: PictureClient
  /** Sends requests to the hosts of videos. */
  readonly videos: VideoClient
  /** Runs SQL of callers. Without it, SQL is turned off. */
  readonly sqlRunner?: SqlRunner
  /** Aborted when the service stops, so that event streams end. */
  readonly shutdownSignal?: AbortSignal
  /**
   * Aborted when a newer version of Relata has migrated the database. From then on the process takes no requests. Without it,
   * the process takes them.
   */
  readonly superseded?: AbortController
  /** Looks up the DNS records that prove the control of a domain. */
  readonly resolveTxt: ResolveTxt
  /** Reaches the servers of connected accounts. */
  readonly accountServers: AccountServers
  /** Sends email to people. */
  readonly mail: Mailer
  /** Signs people in at providers. */
  readonly providers: OpenIdClient
  readonly settings: ServiceSettings
}

/** The workers that requests wake. */
export interface WakeableWorkers {
  /** Makes a worker look for work now, and not at its interval. */
  wake(
    worker:
      | 'connected accounts'
      | 'deleted objects'
      | 'formulas'
      | 'imports'
      | 'jobs'
      | 'pictures'
      | 'rollups'
      | 'sent emails'
      | 'videos',
  ): void
}

export interface ServiceSettings {
  /** Lower-case. The names of response headers contain it. */
  readonly brand: string
  /** The issuer of tokens, as introspection names it. */
  readonly issuer: string
  /** The URL of this service in a browser, without a trailing slash. */
  readonly appUrl: string
  /** The number of proxies in front of the service. Each appends the address of its client to X-Forwarded-For. */
  readonly trustedProxies: number
  /** The type of actor that the API shows for what apps wrote. */
  readonly appActor: 'app' | 'api-token'
  /** The largest request body that is accepted, in bytes. */
  readonly bodyLimit: number
  /** The largest file that is imported, in bytes. */
  readonly importLimit: number
  readonly upload: UploadSettings
  /** How many custom objects a workspace may have. */
  readonly objectQuota: number
  /** How many members of a workspace may be active. */
  readonly memberQuota: number
  /** For how many days deleted records are kept in the trash; 0 for no trash. */
  readonly trashDays: number
  /** How many recipients the emails of a connected account may have in an hour. */
  readonly sendLimit: number
  /** Whether lists of emails are as strict as in the public API. See docs/reference/emails.md (Filters). */
  readonly strictContract: boolean
  /** The provider of the whole installation. */
  readonly provider?: OpenIdProvider
  /** The scheduled backups of the whole installation. */
  readonly backups?: BackupSettings
}

/** The limits of uploads. */
export interface UploadSettings {
  /** The largest file, in bytes. */
  readonly file: number
  /** How long the next bytes of an upload may take, and how long all of them. */
  readonly idleMs: number
  readonly totalMs: number
}

/** The workspace, actor, scopes and clock of one request or import. Every operation takes it as its first argument. */
export interface RequestContext {
  /** The data model of the workspace when the request began. */
  readonly model: DataModel
  /** Loads the newest data model, for a write whose model is out of date. */
  readonly reloadModel: () => Promise<DataModel>
  /** Whether a write of several steps keeps changes of the data model waiting. Of one that such a change has rolled back. */
  readonly holdsModel?: boolean
  /** The number of the actor that is stored with each write. */
  readonly actor: number
  /** The member who acts, or who authorised the token. */
  readonly memberId?: string
  /** The id of the app or API key that sends the request. Undefined for a member, also one for whom a token acts, and for the service itself. */
  readonly clientId?: string
  /** The level of the token of the request. Undefined at the console and for the service itself. */
  readonly tokenLevel?: TokenLevel | undefined
  /** Stores what is created and changed. Of an import. */
  readonly writeLog?: WriteLog | undefined
  readonly scopes: ReadonlySet<Scope>
  readonly db: Database
  readonly now: Clock
  /** Aborted when the client has closed the connection. */
  readonly signal?: AbortSignal
  readonly indexes?: IndexAdvisor
  readonly costLimit?: CostLimit
}

/** The context of a request to the API, with members that only the resources use. */
export interface ApiContext extends RequestContext {
  readonly blobs: BlobStore
  /** As in `ServiceSettings`. */
  readonly brand: string
  readonly targets?: TargetPolicy
  readonly events?: EventPipeline
  readonly workers?: WakeableWorkers
  readonly videos: VideoClient
  readonly sqlRunner?: SqlRunner
  /** Limits the SQL of a workspace. */
  readonly limits?: RateLimiter
  /** As in `ServiceSettings`. */
  readonly appUrl: string
  /** Whether the service has a mail server. */
  readonly sendsEmail: boolean
  /** As in `ServiceSettings`. */
  readonly objectQuota: number
  /** As in `ServiceSettings`. */
  readonly trashDays: number
  /** As in `ServiceSettings`. */
  readonly sendLimit: number
  /** As in `ServiceSettings`. */
  readonly strictContract: boolean
}
