import type { ApiClient } from './api/api-client'
import type { Problems } from './problems'
import type { CopyState } from './state-file'
import type { Tally } from './tally'

/** What all parts of one copy share. */
export interface CopyContext {
  readonly source: ApiClient
  readonly target: ApiClient
  readonly state: CopyState
  readonly problems: Problems
  readonly tally: Tally
  /** The id at the target of each member of the source who has the same email address there. */
  readonly members: ReadonlyMap<string, string>
}
