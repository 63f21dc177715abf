/** What the import of one event of a calendar file takes and reports. */

import type { EventMeeting } from '#transfer/calendar-files/parse-event'
import type { EventIdentity } from '#transfer/calendar-files/read-meetings'
import type { RequestContext } from '#context'
import type { StoredRevision } from './revision'
import type { StoredMeeting } from './store'

export interface EventToImport {
  readonly context: () => RequestContext
  readonly identity: EventIdentity
  readonly meetings: readonly EventMeeting[]
  /** Occurrences that began before it are not in the file's meetings. In milliseconds since 1970. */
  readonly windowStart: number
}

export type EventOutcome = 'created' | 'updated' | 'deleted' | 'unchanged'

/** Why a meeting was not imported or deleted, for people. */
export interface MeetingProblem {
  readonly title: string
  readonly reason: string
}

export interface EventListener {
  onOutcome(outcome: EventOutcome): void
  onProblem(problem: MeetingProblem): Promise<void>
}

/** A meeting of the file with its key. */
export interface Occurrence {
  readonly meeting: EventMeeting
  readonly externalKey: string
  readonly contentHash: string
}

/** The meetings of the event in the file, and those that are stored. */
export interface FileAndStored {
  readonly occurrences: readonly Occurrence[]
  readonly stored: readonly StoredMeeting[]
  readonly revision: StoredRevision
  readonly uidHash: string
}
