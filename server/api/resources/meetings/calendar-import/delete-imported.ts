/** Deletes the meetings of a cancelled event, and of occurrences that an event has no longer. */

import type { RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { deleteLockedMeeting } from '#api/resources/meetings/delete'
import { findMeeting } from '#api/resources/meetings/store'
import type { EventListener, EventToImport, FileAndStored } from './event-to-import'
import { type EventRevision, isNewer } from './revision'
import { findImportedEvent, hasRecordings, type StoredMeeting } from './store'

const DAY_MS = 86_400_000

export async function deleteImported(
  event: EventToImport,
  states: FileAndStored,
  { onOutcome, onProblem }: EventListener,
): Promise<void> {
  let ended = 0
  for (const meeting of findEnded(event, states)) {
    const outcome = await deleteOlder(event.context(), meeting, states.revision)
    if (outcome === undefined) continue
    ended++
    if (outcome === 'deleted') onOutcome(outcome)
    else await onProblem({ title: outcome.title, reason: HAS_RECORDINGS })
  }
  if (event.identity.isCancelled && ended === 0) await onProblem({ title: '', reason: 'It was cancelled.' })
}

const HAS_RECORDINGS = 'It was cancelled. Its meeting stays, because it has call recordings.'

/** The stored meetings that the file cancels, and the occurrences that it has no longer. */
function findEnded({ identity, windowStart }: EventToImport, { occurrences, stored }: FileAndStored): StoredMeeting[] {
  const { replaces, replaced, isCancelled } = identity
  const keys = new Set(occurrences.map(({ externalKey }) => externalKey))
  const separate = new Set([...replaced].map((occurrence) => Date.parse(occurrence)))
  return stored.filter(({ externalKey, occursAt }) => {
    if (externalKey !== null && keys.has(externalKey)) return isCancelled
    if (replaces !== undefined) return false
    if (occursAt === null) return true
    // The window is exact to a day.
    return !separate.has(occursAt) && (isCancelled || occursAt > windowStart + DAY_MS)
  })
}

/** A meeting with recordings stays, because they would be deleted with it. */
type DeleteOutcome = 'deleted' | { readonly title: string } | undefined

/** Keeps a meeting that a newer form of the event wrote. */
const deleteOlder = (
  context: RequestContext,
  { meetingId }: StoredMeeting,
  revision: EventRevision,
): Promise<DeleteOutcome> =>
  retryOnConflict(context, async (context) => {
    const { db, model } = context
    const outcome = await db.sql.begin(async (tx) => {
      const meeting = await findMeeting(tx, model.workspace.id, meetingId, 'lock')
      if (meeting === undefined) return undefined
      const imported = await findImportedEvent(tx, model.workspace.id, meetingId)
      if (imported && !isNewer(revision, imported)) return undefined
      if (await hasRecordings(tx, model.workspace.id, meetingId)) return { title: meeting.title }
      await deleteLockedMeeting(tx, context, meeting)
      return 'deleted'
    })
    return outcome as DeleteOutcome // the driver's type for the callback's result is wider
  })
