/** One call to the service: who calls, in which workspace, with what they may use. Every verb takes it first. */

import type { Database } from '../db/connect'
import type { DataModel } from './data-model/model'
import type { EventPipeline } from './webhooks/event-pipeline'
import type { TargetPolicy } from './webhooks/send/target'
import type { IndexAdvisor } from './indexes/advisor'
import type { CostLimit } from './query/planning/cost-limit'
import type { Scope } from './scopes'
import type { Clock } from './timing/clock'

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
