/** Finds or creates, changes and deletes meetings. See docs/reference/meetings.md. */

import type { Transaction } from '#db/connect'
import { queueMeeting } from '#crm/contacts/job-store'
import type { ApiContext, RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { newId } from '#base/ids'
import { requestRefreshesFor } from '#crm/interactions/refresh-queue'
import { VersionConflict } from '#engine/storage/preconditions'
import { timestampFromMicros } from '#base/timing/clock'
import { externalKeyOf, lockLinkedRecords, parseLinkedRecords, parseParticipants } from './parse-body'
import { addressesOf, type Meeting, type MeetingLink, type MeetingTimes } from './meeting'
import { type AnsweredMeeting, answerMeeting } from './render'
import type { LinkedRecordInput, MeetingChange, MeetingInput } from './schemas'
import {
  deleteMeetingRow,
  findIdByExternalKey,
  findMeeting,
  insertMeeting,
  isImportedMeeting,
  updateMeetingRows,
} from './store'
import { parseTimes, renderEnd, renderStart } from './times'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import type { DataModel } from '#engine/data-model/model'
import { requireMatch } from '#engine/entities/read/etag'
import { emptyPayload, readId } from '#base/errors/http'
import { meetingIsImported, meetingNotFound, tooManyLinks } from '#base/errors/meetings'

type OnInserted = (tx: Transaction, meetingId: string) => Promise<void>

/**
 * Creates a meeting. With an `external_ref`, returns the meeting that was created with it before, unchanged; of two requests at
 * once, one creates it. `onInserted` runs in the transaction that creates it. Throws 400 for times, participants and records. See docs/reference/meetings.md (Find or create).
 */
export const createMeeting = (
  context: RequestContext,
  input: MeetingInput,
  onInserted: OnInserted = async () => {},
): Promise<AnsweredMeeting> =>
  retryOnConflict(context, async (context) => {
    const { model, actor } = context
    const now = context.now()
    const times = parseTimes(input)
    const externalKey = input.external_ref === undefined ? null : externalKeyOf(input.external_ref, times)
    const meeting: Meeting = {
      ...times,
      id: newId(),
      title: input.title,
      description: input.description,
      participants: parseParticipants(model, input.participants),
      links: parseLinkedRecords(model, input.linked_records ?? []),
      createdAt: timestampFromMicros(now),
      createdBy: actor,
      version: 1,
    }
    const existing = await findByExternalKey(context, externalKey)
    if (existing) return answerMeeting(model, existing)
    await context.db.sql.begin(async (tx) => {
      await lockLinkedRecords(tx, model, meeting.links)
      // Another request has created the meeting since: the retry finds it.
      const isInserted = await insertMeeting(tx, model.workspace.id, meeting, { now, actor, externalKey })
      if (!isInserted) throw new VersionConflict()
      const hasAddress = meeting.participants.some(({ emailAddress }) => emailAddress !== null)
      if (hasAddress) await queueMeeting(tx, model.workspace.id, meeting.id, now)
      await requestRefreshesFor(tx, model, addressesOf(meeting), now)
      await onInserted(tx, meeting.id)
    })
    return answerMeeting(model, meeting)
  })

async function findByExternalKey({ db, model }: RequestContext, key: string | null): Promise<Meeting | undefined> {
  const id = key === null ? undefined : await findIdByExternalKey(db.sql, model.workspace.id, key)
  return id === undefined ? undefined : findMeeting(db.sql, model.workspace.id, id)
}

// Changes a meeting. See docs/reference/meetings.md (Changes).

/** Members that are not sent stay; records are linked beside those that are. Throws 404, 400 for times, participants and records, and 412. */
export async function updateMeeting(
  context: ApiContext,
  meetingId: string,
  change: MeetingChange,
  ifMatch: string | null,
): Promise<AnsweredMeeting> {
  refuseEmpty(change)
  const { linked_records = [] } = change
  return writeMeeting(context, meetingId, { linked_records, ifMatch }, (model, before, named) => ({
    ...changedState(model, before, change),
    links: addLinks(before.links, named),
  }))
}

/**
 * Links a meeting to these records only. Links that participants matched end, too, and those to records of objects that the
 * caller does not see stay. Throws 404, 400 for unknown records, and 412.
 */
export const replaceLinks = (
  context: ApiContext,
  meetingId: string,
  { linked_records }: { readonly linked_records: readonly LinkedRecordInput[] },
  ifMatch: string | null,
): Promise<AnsweredMeeting> =>
  writeMeeting(context, meetingId, { linked_records, ifMatch }, (model, { links }, named) => ({
    links: [...named, ...links.filter(({ objectId }) => isHiddenObjectId(model, objectId))],
  }))

interface MeetingWrite {
  readonly linked_records: readonly LinkedRecordInput[]
  readonly ifMatch: string | null
}

/** `change` gets the locked meeting and the records that the body names, and returns the members that differ. */
const writeMeeting = (
  context: ApiContext,
  meetingId: string,
  { linked_records, ifMatch }: MeetingWrite,
  change: (model: DataModel, before: Meeting, named: readonly MeetingLink[]) => Partial<Meeting>,
): Promise<AnsweredMeeting> =>
  retryOnConflict(context, async (context) => {
    const { model, db } = context
    const id = readId('Meeting', meetingId)
    if ((await findMeeting(db.sql, model.workspace.id, id)) === undefined) throw meetingNotFound(meetingId)
    const named = parseLinkedRecords(model, linked_records)
    const meeting = await db.sql.begin(async (tx) => {
      // A deletion of a record locks the record first and then its meetings, so a write does too.
      await lockLinkedRecords(tx, model, named)
      const before = await findMeeting(tx, model.workspace.id, id, 'lock')
      if (before === undefined) throw meetingNotFound(meetingId)
      requireMatch(before, ifMatch)
      return saveMeeting(tx, context, before, { ...before, ...change(model, before, named) })
    })
    return answerMeeting(model, meeting as Meeting) // the driver's type for the callback's result is wider
  })

/** Many requests may add records, each of them at most 50. */
const MAX_GIVEN_LINKS = 1000

/** A record that a participant matched counts as given when the body names it, and stays linked without the participant. */
function addLinks(links: readonly MeetingLink[], named: readonly MeetingLink[]): readonly MeetingLink[] {
  const byId = new Map([...links, ...named].map((link) => [link.recordId, link]))
  const all = [...byId.values()]
  if (named.length > 0 && all.filter(({ isGiven }) => isGiven).length > MAX_GIVEN_LINKS)
    throw tooManyLinks(MAX_GIVEN_LINKS)
  return all
}

function refuseEmpty({
  title,
  description,
  start,
  end,
  is_all_day,
  participants,
  linked_records,
}: MeetingChange): void {
  const members = [title, description, start, end, is_all_day, participants, linked_records]
  if (members.every((member) => member === undefined)) throw emptyPayload()
}

const changedState = (model: DataModel, before: Meeting, change: MeetingChange): Partial<Meeting> => ({
  ...(change.title !== undefined && { title: change.title }),
  ...(change.description !== undefined && { description: change.description }),
  ...(change.participants && { participants: parseParticipants(model, change.participants) }),
  ...timesOf(before, change),
})

/** The start and the end are checked together, also when the body has one of them. */
function timesOf(before: Meeting, { is_all_day, start, end }: MeetingChange): MeetingTimes | undefined {
  if (is_all_day === undefined && start === undefined && end === undefined) return undefined
  return parseTimes({
    is_all_day: is_all_day ?? before.isAllDay,
    start: start ?? renderStart(before),
    end: end ?? renderEnd(before),
  })
}

/** Writes a locked meeting, and queues what follows from its participants and times. Without a difference, nothing is written. */
export async function saveMeeting(
  tx: Transaction,
  context: RequestContext,
  before: Meeting,
  after: Meeting,
): Promise<Meeting> {
  if (Bun.deepEquals(before, after)) return before
  const meeting = { ...after, version: before.version + 1 }
  const stamp = { now: context.now(), actor: context.actor }
  await updateMeetingRows(tx, context.model.workspace.id, meeting, stamp)
  if (!Bun.deepEquals(addressesOf(before), addressesOf(after)))
    await queueMeeting(tx, context.model.workspace.id, meeting.id, stamp.now)
  await requestRefreshesFor(tx, context.model, [...addressesOf(before), ...addressesOf(after)], stamp.now)
  return meeting
}

/** Deletes a meeting for good; the records it is linked to stay. Throws 404, 412, and without `force` 400 for a meeting of a calendar import. */
export const deleteMeeting = (
  context: ApiContext,
  meetingId: string,
  { force, ifMatch }: { readonly force: boolean; readonly ifMatch: string | null },
): Promise<object> =>
  retryOnConflict(context, async ({ model, db, now }) => {
    const id = readId('Meeting', meetingId)
    await db.sql.begin(async (tx) => {
      const meeting = await findMeeting(tx, model.workspace.id, id, 'lock')
      if (meeting === undefined) throw meetingNotFound(meetingId)
      if (!force && (await isImportedMeeting(tx, model.workspace.id, id))) throw meetingIsImported()
      requireMatch(meeting, ifMatch)
      await deleteLockedMeeting(tx, { model, now }, meeting)
    })
    return {}
  })

/** Deletes a locked meeting, and requests the interaction attributes that follow from it. */
export async function deleteLockedMeeting(
  tx: Transaction,
  { model, now }: Pick<RequestContext, 'model' | 'now'>,
  meeting: Meeting,
): Promise<void> {
  await deleteMeetingRow(tx, model.workspace.id, meeting.id)
  await requestRefreshesFor(tx, model, addressesOf(meeting), now())
}
