/**
 * Imports the events of an iCalendar file as meetings. An event that was imported before changes its meetings if it is newer.
 * See docs/import.md (Meetings).
 */

import { readCalendarMeetings, type EventIdentity } from '#transfer/calendar-files/read-meetings'
import type { RequestContext } from '#context'
import type { RowProblem } from '#transfer/import/row-outcomes'
import type { EventMeeting } from '#transfer/calendar-files/parse-event'
import { ApiError } from '#base/errors/api-error'
import { isTransient } from '#base/errors/database'
import { sha256 } from '#base/text/sha256'
import { isSliceOver, nextTurn } from '#base/timing/in-slices'
import { externalKeyOf, parseParticipants } from '#api/resources/meetings/parse-body'
import { parseTimes } from '#api/resources/meetings/times'
import {
  findImportedEvent,
  findStoredMeetings,
  hasRecordings,
  type ImportedEvent,
  isNewer,
  raiseRevisions,
  revisionAt,
  saveImportedEvent,
  type StoredMeeting,
  type StoredRevision,
} from './store'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { createMeeting, deleteLockedMeeting, saveMeeting } from '#api/resources/meetings/write'
import { findMeeting } from '#api/resources/meetings/store'
import type { Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import type { Meeting } from '#api/resources/meetings/meeting'

export interface CalendarImport {
  /** Makes the context of a write, with the newest data model. */
  readonly context: () => RequestContext
  /** Opens the file at its beginning. */
  readonly lines: () => AsyncIterable<readonly Uint8Array[]>
  /** The address of the member whose calendar it is. */
  readonly memberAddress: string
}

export interface CalendarCounts {
  /** The number of events that were read. */
  readonly read: number
  /** Meetings, like the next ones. */
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly unchanged: number
  readonly skipped: number
}

export interface CalendarListener {
  /** Called after each event. */
  onProgress(counts: CalendarCounts): void
  onProblem(problem: RowProblem): void | Promise<void>
}

const DAY_MS = 86_400_000
/** Occurrences of recurring events are imported from this long ago until this far ahead. */
const PAST_MS = 2 * 365 * DAY_MS
const FUTURE_MS = 365 * DAY_MS

/** Throws `ImportError` for a file in another format. */
export async function importCalendar(
  { context, lines, memberAddress }: CalendarImport,
  { onProgress, onProblem }: CalendarListener,
): Promise<CalendarCounts> {
  const nowMs = context().now() / 1000
  const window = { from: nowMs - PAST_MS, until: nowMs + FUTURE_MS }
  const counts = { read: 0, created: 0, updated: 0, deleted: 0, unchanged: 0, skipped: 0 }
  for await (const { line, meetings, identity, problem } of readCalendarMeetings({ lines, window, memberAddress })) {
    counts.read++
    const skip = async (value: string, reason: string) => {
      counts.skipped++
      await onProblem({ line, outcome: 'skipped', column: '', value, reason })
    }
    if (problem !== undefined) await skip(problem.value, problem.reason)
    if (identity !== undefined)
      await importEvent(
        { context, identity, meetings, windowStart: window.from },
        { onOutcome: (outcome) => counts[outcome]++, onProblem: ({ title, reason }) => skip(title, reason) },
      )
    onProgress({ ...counts })
  }
  return counts
}

// Makes the meetings of one event as the file has them. See docs/import.md (Meetings); docs/decisions/mail-and-calendar-files.md.

/** A cancelled event deletes its meetings. An event that stands for its occurrences deletes those that it has no longer. */
async function importEvent(event: EventToImport, listener: EventListener): Promise<void> {
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
const isOfNewerSeries = ({ occursAt, imported }: StoredMeeting, revision: StoredRevision): boolean =>
  occursAt !== null && imported?.isSeparate === false && isNewer(imported, revision)

const isUnchanged = (imported: ImportedEvent, { contentHash }: Occurrence, revision: StoredRevision): boolean =>
  imported.contentHash === contentHash || !isNewer(revision, imported)

async function deleteImported(
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
  revision: StoredRevision,
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

/** Creates a meeting, or changes the meeting of an event that changed. */
interface OccurrenceWrite {
  readonly occurrence: Occurrence
  /** Undefined when there is no such meeting yet. */
  readonly meetingId: string | undefined
  readonly revision: StoredRevision
  readonly uidHash: string
}

type WriteOutcome = 'created' | 'updated' | 'unchanged' | { readonly reason: string }

async function writeOccurrence(context: RequestContext, write: OccurrenceWrite): Promise<WriteOutcome> {
  const { meetingId } = write
  try {
    if (meetingId === undefined) return await createImported(context, write)
    const outcome = await retryOnConflict(context, (context) => changeImported(context, meetingId, write))
    return outcome ?? (await createImported(context, write))
  } catch (error) {
    if (error instanceof ApiError && !isTransient(error)) return { reason: error.message }
    throw error
  }
}

/** Another writer may have created the meeting since. It stays as it is until the next import. */
async function createImported(context: RequestContext, write: OccurrenceWrite): Promise<'created' | 'unchanged'> {
  const inserted = new Set<string>()
  const { data } = await createMeeting(context, write.occurrence.meeting, async (tx, meetingId) => {
    inserted.add(meetingId)
    await saveRevision(tx, context, meetingId, write)
  })
  return inserted.has(data.id.meeting_id) ? 'created' : 'unchanged'
}

/** Undefined when the meeting was deleted since. */
async function changeImported(
  context: RequestContext,
  meetingId: string,
  write: OccurrenceWrite,
): Promise<'updated' | 'unchanged' | undefined> {
  const { db, model } = context
  const after = stateOf(model, write.occurrence)
  const outcome = await db.sql.begin(async (tx) => {
    const before = await findMeeting(tx, model.workspace.id, meetingId, 'lock')
    if (before === undefined) return undefined
    const imported = await findImportedEvent(tx, model.workspace.id, meetingId)
    if (imported && !isNewer(write.revision, imported)) return 'unchanged'
    const saved = await saveMeeting(tx, context, before, { ...before, ...after })
    await saveRevision(tx, context, meetingId, write)
    return saved.version === before.version ? 'unchanged' : 'updated'
  })
  return outcome as 'updated' | 'unchanged' | undefined // the driver's type for the callback's result is wider
}

/** What the file says about a meeting. Links that people gave stay. */
function stateOf(model: DataModel, { meeting }: Occurrence): Partial<Meeting> {
  const { title, description, participants } = meeting
  return { title, description, participants: parseParticipants(model, participants), ...parseTimes(meeting) }
}

async function saveRevision(
  tx: Transaction,
  { model }: RequestContext,
  meetingId: string,
  { occurrence: { meeting, contentHash }, revision, uidHash }: OccurrenceWrite,
): Promise<void> {
  const occursAt = meeting.external_ref.original_start_time
  await saveImportedEvent(tx, model.workspace.id, {
    meetingId,
    uidHash,
    occursAt,
    contentHash,
    ...revision,
  })
}

/** What the import of one event of a calendar file takes and reports. */
interface EventToImport {
  readonly context: () => RequestContext
  readonly identity: EventIdentity
  readonly meetings: readonly EventMeeting[]
  /** Occurrences that began before it are not in the file's meetings. In milliseconds since 1970. */
  readonly windowStart: number
}

type EventOutcome = 'created' | 'updated' | 'deleted' | 'unchanged'

/** Why a meeting was not imported or deleted, for people. */
interface MeetingProblem {
  readonly title: string
  readonly reason: string
}

interface EventListener {
  onOutcome(outcome: EventOutcome): void
  onProblem(problem: MeetingProblem): Promise<void>
}

/** A meeting of the file with its key. */
interface Occurrence {
  readonly meeting: EventMeeting
  readonly externalKey: string
  readonly contentHash: string
}

/** The meetings of the event in the file, and those that are stored. */
interface FileAndStored {
  readonly occurrences: readonly Occurrence[]
  readonly stored: readonly StoredMeeting[]
  readonly revision: StoredRevision
  readonly uidHash: string
}
