/** Makes the meetings of one event as the file has them. See docs/import.md (Meetings); decision 0104. */

import type { EventMeeting } from '#transfer/calendar-files/parse-event'
import { ApiError } from '#base/errors/api-error'
import { isTransient } from '#base/errors/database'
import { sha256 } from '#base/text/sha256'
import { isSliceOver, nextTurn } from '#base/timing/in-slices'
import { externalKeyOf } from '#api/resources/meetings/external-key'
import { parseTimes } from '#api/resources/meetings/times'
import { deleteImported } from './delete-imported'
import type { EventListener, EventToImport, FileAndStored, Occurrence } from './event-to-import'
import { type EventRevision, isNewer, revisionAt } from './revision'
import { findStoredMeetings, type ImportedEvent, raiseRevisions, type StoredMeeting } from './store'
import { writeOccurrence } from './write-occurrence'

/** A cancelled event deletes its meetings. An event that stands for its occurrences deletes those that it has no longer. */
export async function importEvent(event: EventToImport, listener: EventListener): Promise<void> {
  const { identity, meetings } = event
  const context = event.context()
  const occurrences: Occurrence[] = []
  for (const meeting of meetings) {
    const occurrence = identify(meeting)
    if ('reason' in occurrence) await listener.onProblem({ title: meeting.title, reason: occurrence.reason })
    else occurrences.push(occurrence)
    if (isSliceOver()) await nextTurn()
  }
  const uidHash = sha256(identity.uid)
  const externalKeys = occurrences.map(({ externalKey }) => externalKey)
  // An event for one occurrence changes no other meetings.
  const others = identity.replaces === undefined ? uidHash : undefined
  const stored = await findStoredMeetings(context.db.sql, context.model.workspace.id, { externalKeys, uidHash: others })
  const revision = revisionAt(identity, context.now())
  const states = { occurrences, stored, revision, uidHash }
  if (!identity.isCancelled) await writeAll(event, states, listener)
  await deleteImported(event, states, listener)
}

/** The key of a meeting, or why it cannot be imported. */
function identify(meeting: EventMeeting): Occurrence | { readonly reason: string } {
  const { external_ref, ...content } = meeting
  try {
    const externalKey = externalKeyOf(external_ref, parseTimes(meeting))
    return { meeting, externalKey, contentHash: sha256(JSON.stringify(content)) }
  } catch (error) {
    if (error instanceof ApiError && !isTransient(error)) return { reason: error.message }
    throw error
  }
}

async function writeAll(
  { context, identity }: EventToImport,
  { occurrences, stored, revision, uidHash }: FileAndStored,
  { onOutcome, onProblem }: EventListener,
): Promise<void> {
  const storedByKey = new Map(stored.map((meeting) => [meeting.externalKey, meeting]))
  // The meetings that a newer form of the event leaves as they are. Without a time of the change, each import is newer.
  const confirmed: string[] = []
  const isDated = identity.revision.changedAt !== undefined
  const isOutdated = !revision.isSeparate && stored.some((meeting) => isOfNewerSeries(meeting, revision))
  for (const occurrence of occurrences) {
    const found = storedByKey.get(occurrence.externalKey)
    if (found?.imported && isUnchanged(found.imported, occurrence, revision)) {
      if (isDated && isNewer(revision, found.imported)) confirmed.push(found.meetingId)
      onOutcome('unchanged')
      continue
    }
    if (found === undefined && isOutdated) {
      onOutcome('unchanged')
      continue
    }
    const outcome = await writeOccurrence(context(), { occurrence, meetingId: found?.meetingId, revision, uidHash })
    if (typeof outcome === 'string') onOutcome(outcome)
    else await onProblem({ title: occurrence.meeting.title, reason: outcome.reason })
  }
  const { db, model } = context()
  if (confirmed.length > 0) await raiseRevisions(db.sql, model.workspace.id, confirmed, revision)
}

/** Whether a newer form of the recurring event wrote the meeting. An older form then creates no occurrences. */
const isOfNewerSeries = ({ occursAt, imported }: StoredMeeting, revision: EventRevision): boolean =>
  occursAt !== null && imported?.isSeparate === false && isNewer(imported, revision)

const isUnchanged = (imported: ImportedEvent, { contentHash }: Occurrence, revision: EventRevision): boolean =>
  imported.contentHash === contentHash || !isNewer(revision, imported)
