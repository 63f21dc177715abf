/** Makes the meetings of one event as the file has them. See docs/import.md (Meetings); docs/decisions/mail-and-calendar-files.md. */

import type { EventMeeting } from './parse-event'
import { ApiError } from '#base/errors/api-error'
import { isTransient } from '#base/errors/database'
import { sha256 } from '#base/text/sha256'
import { isSliceOver, nextTurn } from '#base/timing/in-slices'
import { externalKeyOf, parseParticipants } from '#crm/meetings/parse-input'
import { parseTimes } from '#crm/meetings/times'
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
} from './imported-events'
import type { RequestContext } from '#context'
import type { DataModel } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { deleteLockedMeeting, findOrCreateMeeting, saveMeeting } from '#crm/meetings/write-meeting'
import { findMeeting } from '#crm/meetings/store'
import type { Transaction } from '#db/connect'
import type { Meeting, Millis } from '#crm/meetings/meeting'
import {
  deleteAllSyncedMeetings,
  isSameEvent,
  listAccountsOf,
  saveSyncedMeeting,
  type SyncedEvent,
} from '#crm/meetings/synced-meetings'
import type { EventIdentity } from './read-meetings'

/**
 * A cancelled event deletes its meetings. An event that stands for its occurrences deletes those that it has no longer. Returns the
 * meetings that the event of a connected calendar has; the caller forgets those that it has no longer.
 */
export async function importEvent(event: EventToImport, listener: EventListener): Promise<string[]> {
  const { identity, meetings, source } = event
  const context = event.context()
  const occurrences: Occurrence[] = []
  for (const meeting of meetings) {
    const occurrence = identify(meeting, privateTo(event))
    if ('reason' in occurrence) await listener.onProblem({ title: meeting.title, reason: occurrence.reason })
    else occurrences.push(occurrence)
    if (isSliceOver()) await nextTurn()
  }
  const uidHash = uidHashOf(identity.uid, privateTo(event))
  const externalKeys = occurrences.map(({ externalKey }) => externalKey)
  // An event for one occurrence changes no other meetings.
  const others = identity.replaces === undefined ? uidHash : undefined
  const stored = await findStoredMeetings(context.db.sql, context.model.workspace.id, { externalKeys, uidHash: others })
  const revision = revisionAt(identity, context.now())
  const states = { occurrences, stored, revision, uidHash }
  const kept = identity.isCancelled ? [] : await writeAll(event, states, listener)
  if (source === undefined || !identity.isPrivate) await deleteImported(event, states, listener)
  return kept
}

/** The member whose private event it is. Such an event has a meeting of its own, beside that of the same event in other calendars. */
const privateTo = ({ identity, source }: EventToImport): string | undefined =>
  identity.isPrivate ? source?.memberId : undefined

const uidHashOf = (uid: string, memberId: string | undefined): string =>
  sha256(memberId === undefined ? uid : JSON.stringify(['private', memberId, uid]))

/** The key of a meeting, or why it cannot be imported. */
function identify(meeting: EventMeeting, memberId: string | undefined): Occurrence | { readonly reason: string } {
  try {
    const times = parseTimes(meeting)
    const key = externalKeyOf(meeting.external_ref, times)
    const externalKey = memberId === undefined ? key : sha256(JSON.stringify(['private', memberId, key]))
    return { meeting, externalKey, contentHash: contentHashOf(meeting), endsAt: times.endsAt }
  } catch (error) {
    if (error instanceof ApiError && !isTransient(error)) return { reason: error.message }
    throw error
  }
}

const contentHashOf = ({ external_ref: _, ...content }: EventMeeting): string => sha256(JSON.stringify(content))

/** Returns the meetings that the calendar has. */
async function writeAll(
  event: EventToImport,
  { occurrences, stored, revision, uidHash }: FileAndStored,
  { onOutcome, onProblem }: EventListener,
): Promise<string[]> {
  const { context, identity, source } = event
  const storedByKey = new Map(stored.map((meeting) => [meeting.externalKey, meeting]))
  // The meetings that a newer form of the event leaves as they are. Without a time of the change, each import is newer.
  const confirmed: string[] = []
  const kept: string[] = []
  const isDated = identity.revision.changedAt !== undefined
  const isOutdated = !revision.isSeparate && stored.some((meeting) => isOfNewerSeries(meeting, revision))
  for (const read of occurrences) {
    const occurrence = source === undefined ? read : admitted(read, event)
    if (occurrence === undefined) continue
    const found = storedByKey.get(occurrence.externalKey)
    if (found !== undefined && staysAsItIs(found, occurrence, { revision, source })) {
      // The only account of a meeting decides without the revision.
      const isCompared = isDated && !isOnlyOf(found.syncedEvents, source)
      if (isCompared && found.imported && isNewer(revision, found.imported)) confirmed.push(found.meetingId)
      if (source !== undefined && (await linkToCalendar(context(), source, found))) kept.push(found.meetingId)
      onOutcome('unchanged')
      continue
    }
    if (found === undefined && isOutdated) {
      onOutcome('unchanged')
      continue
    }
    const written = await writeOccurrence(context(), { occurrence, found, revision, uidHash, source })
    if ('reason' in written) await onProblem({ title: occurrence.meeting.title, reason: written.reason })
    else {
      onOutcome(written.outcome)
      if (written.meetingId !== undefined) kept.push(written.meetingId)
    }
  }
  const { db, model } = context()
  if (confirmed.length > 0) await raiseRevisions(db.sql, model.workspace.id, confirmed, revision)
  return kept
}

/** What a connected calendar stores of an occurrence; undefined for nothing. */
function admitted(occurrence: Occurrence, { identity, source }: EventToImport): Occurrence | undefined {
  const { meeting, endsAt } = occurrence
  const admittedMeeting = source?.admit(meeting, { endsAt, isPrivate: identity.isPrivate })
  return admittedMeeting && { ...occurrence, meeting: admittedMeeting, contentHash: contentHashOf(admittedMeeting) }
}

/** Whether a newer form of the recurring event wrote the meeting. An older form then creates no occurrences. */
const isOfNewerSeries = ({ occursAt, imported }: StoredMeeting, revision: StoredRevision): boolean =>
  occursAt !== null && imported?.isSeparate === false && isNewer(imported, revision)

/**
 * A file changes a meeting when it is newer, and one of connected calendars always, because it is then a meeting of the file. A connected
 * calendar never changes a meeting that was created over the API.
 */
function staysAsItIs(
  { imported, syncedEvents }: StoredMeeting,
  { contentHash }: Occurrence,
  { revision, source }: Pick<OccurrenceWrite, 'revision' | 'source'>,
): boolean {
  if (source === undefined && syncedEvents.length > 0) return false
  if (imported === undefined) return source !== undefined
  return imported.contentHash === contentHash || !mayChange(imported, syncedEvents, { revision, source })
}

/** The only account that has a meeting decides: its server has the event as it is now. Among several accounts, and files, the newer form does. */
const mayChange = (
  imported: ImportedEvent,
  syncedEvents: readonly SyncedEvent[],
  { revision, source }: Pick<OccurrenceWrite, 'revision' | 'source'>,
): boolean => isOnlyOf(syncedEvents, source) || isNewer(revision, imported)

const isOnlyOf = (syncedEvents: readonly SyncedEvent[], source: EventSource | undefined): boolean =>
  syncedEvents.length > 0 && syncedEvents.every(({ accountId }) => accountId === source?.accountId)

/** Notes that the event has a meeting of connected calendars. Returns false for a meeting that is none of them, or no longer exists. */
async function linkToCalendar(
  { db, model }: RequestContext,
  source: EventSource,
  { meetingId, syncedEvents }: Pick<StoredMeeting, 'meetingId' | 'syncedEvents'>,
): Promise<boolean> {
  if (syncedEvents.some((each) => isSameEvent(each, source))) return true
  const isLinked = await db.sql.begin(async (tx) => {
    const workspaceId = model.workspace.id
    if ((await findMeeting(tx, workspaceId, meetingId, 'lock')) === undefined) return false
    if ((await listAccountsOf(tx, workspaceId, meetingId)).length === 0) return false
    await saveSyncedMeeting(tx, workspaceId, meetingId, source)
    await source.confirm(tx)
    return true
  })
  return isLinked as boolean // the driver's type for the callback's result is wider
}

const DAY_MS = 86_400_000

/**
 * Deletes the meetings of a cancelled event, and of occurrences that an event has no longer. Of a connected calendar only those that were
 * imported from files before: its own ones follow from what it returns.
 */
async function deleteImported(
  event: EventToImport,
  states: FileAndStored,
  { onOutcome, onProblem }: EventListener,
): Promise<void> {
  let ended = 0
  for (const meeting of findEnded(event, states)) {
    if (event.source !== undefined && (meeting.imported === undefined || meeting.syncedEvents.length > 0)) continue
    const outcome = await deleteOlder(event.context(), meeting, states.revision)
    if (outcome === undefined) continue
    ended++
    if (outcome === 'deleted') onOutcome(outcome)
    else await onProblem({ title: outcome.title, reason: HAS_RECORDINGS })
  }
  if (event.identity.isCancelled && ended === 0 && event.source === undefined)
    await onProblem({ title: '', reason: 'It was cancelled.' })
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
  readonly found: StoredMeeting | undefined
  readonly revision: StoredRevision
  readonly uidHash: string
  readonly source: EventSource | undefined
}

interface Written {
  readonly outcome: 'created' | 'updated' | 'unchanged'
  /** Undefined when the connected calendar does not have the meeting. */
  readonly meetingId: string | undefined
}

async function writeOccurrence(
  context: RequestContext,
  write: OccurrenceWrite,
): Promise<Written | { readonly reason: string }> {
  const { found } = write
  try {
    if (found === undefined) return await createImported(context, write)
    const outcome = await retryOnConflict(context, (context) => changeImported(context, found, write))
    if (outcome === undefined) return await createImported(context, write)
    return { outcome, meetingId: found.syncedEvents.length > 0 ? found.meetingId : undefined }
  } catch (error) {
    if (error instanceof ApiError && !isTransient(error)) return { reason: error.message }
    throw error
  }
}

/** Another writer may have created the meeting since. It stays as it is until the next import. */
async function createImported(context: RequestContext, write: OccurrenceWrite): Promise<Written> {
  const { source } = write
  const { meeting, externalKey } = write.occurrence
  const inserted = new Set<string>()
  const onInserted = async (tx: Transaction, meetingId: string) => {
    inserted.add(meetingId)
    await saveRevision(tx, context, meetingId, write)
    if (source === undefined) return
    await saveSyncedMeeting(tx, context.model.workspace.id, meetingId, source)
    await source.confirm(tx)
  }
  const { id } = await retryOnConflict(context, (context) =>
    findOrCreateMeeting(context, meeting, { externalKey, onInserted }),
  )
  if (inserted.has(id)) return { outcome: 'created', meetingId: id }
  const isLinked = source && (await linkToCalendar(context, source, { meetingId: id, syncedEvents: [] }))
  return { outcome: 'unchanged', meetingId: isLinked === true ? id : undefined }
}

/** Undefined when the meeting was deleted since. */
async function changeImported(
  context: RequestContext,
  { meetingId, syncedEvents }: StoredMeeting,
  write: OccurrenceWrite,
): Promise<'updated' | 'unchanged' | undefined> {
  const { db, model } = context
  const { source } = write
  const after = stateOf(model, write.occurrence)
  const outcome = await db.sql.begin(async (tx) => {
    const before = await findMeeting(tx, model.workspace.id, meetingId, 'lock')
    if (before === undefined) return undefined
    const imported = await findImportedEvent(tx, model.workspace.id, meetingId)
    const isTakenOver = source === undefined && syncedEvents.length > 0
    if (!isTakenOver && imported && !mayChange(imported, syncedEvents, write)) return 'unchanged'
    const saved = await saveMeeting(tx, context, before, { ...before, ...after })
    await saveRevision(tx, context, meetingId, write)
    if (isTakenOver) await deleteAllSyncedMeetings(tx, model.workspace.id, meetingId)
    if (source !== undefined && syncedEvents.length > 0)
      await saveSyncedMeeting(tx, model.workspace.id, meetingId, source)
    await source?.confirm(tx)
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
  /** Undefined for an event of a file. */
  readonly source?: EventSource
}

/** An event of a connected calendar. */
export interface EventSource extends SyncedEvent {
  readonly memberId: string
  /** What is stored of a meeting; undefined for nothing. */
  admit(
    meeting: EventMeeting,
    facts: { readonly endsAt: Millis; readonly isPrivate: boolean },
  ): EventMeeting | undefined
  /** Runs in each transaction. Throws, and so rolls it back, when the account is no longer the caller's. */
  confirm(tx: Transaction): Promise<void>
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
  readonly endsAt: Millis
}

/** The meetings of the event in the file, and those that are stored. */
interface FileAndStored {
  readonly occurrences: readonly Occurrence[]
  readonly stored: readonly StoredMeeting[]
  readonly revision: StoredRevision
  readonly uidHash: string
}
