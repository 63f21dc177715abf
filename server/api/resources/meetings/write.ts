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
import type { MeetingChange, MeetingInput } from './schemas'
import { deleteMeetingRow, findIdByExternalKey, findMeeting, insertMeeting, updateMeetingRows } from './store'
import { parseTimes, renderEnd, renderStart } from './times'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import type { DataModel } from '#engine/data-model/model'
import { requireMatch } from '#engine/entities/read/etag'
import { emptyPayload, readId } from '#base/errors/http'
import { meetingNotFound } from '#base/errors/meetings'

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
      participants: parseParticipants(input.participants),
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

/** Members that are not sent stay. Throws 404, 400 for times, participants and records, and 412. */
export const updateMeeting = (
  context: ApiContext,
  meetingId: string,
  change: MeetingChange,
  ifMatch: string | null,
): Promise<AnsweredMeeting> =>
  retryOnConflict(context, async (context) => {
    const { model, db } = context
    const id = readId('Meeting', meetingId)
    refuseEmpty(change)
    if ((await findMeeting(db.sql, model.workspace.id, id)) === undefined) throw meetingNotFound(meetingId)
    const given = change.linked_records && parseLinkedRecords(model, change.linked_records)
    const meeting = await db.sql.begin(async (tx) => {
      // A deletion of a record locks the record first and then its meetings, so an update does too.
      if (given) await lockLinkedRecords(tx, model, given)
      const before = await findMeeting(tx, model.workspace.id, id, 'lock')
      if (before === undefined) throw meetingNotFound(meetingId)
      requireMatch(before, ifMatch)
      return saveMeeting(tx, context, before, {
        ...before,
        ...changedState(before, change),
        links: linksOf(model, before, given),
      })
    })
    return answerMeeting(model, meeting as Meeting) // the driver's type for the callback's result is wider
  })

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

const changedState = (before: Meeting, change: MeetingChange): Partial<Meeting> => ({
  ...(change.title !== undefined && { title: change.title }),
  ...(change.description !== undefined && { description: change.description }),
  ...(change.participants && { participants: parseParticipants(change.participants) }),
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

/** The given records first, then those that participants matched. Given records that the member does not see stay. */
function linksOf(model: DataModel, before: Meeting, named: readonly MeetingLink[] | undefined): readonly MeetingLink[] {
  if (named === undefined) return before.links
  const isKept = ({ objectId, isGiven }: MeetingLink) => isGiven && isHiddenObjectId(model, objectId)
  const given = [...named, ...before.links.filter(isKept)]
  const ids = new Set(given.map(({ recordId }) => recordId))
  return [...given, ...before.links.filter(({ isGiven, recordId }) => !isGiven && !ids.has(recordId))]
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
  // A record that is no longer given may be that of a participant.
  const isMatchedAnew = !Bun.deepEquals([before.participants, before.links], [after.participants, after.links])
  if (isMatchedAnew) await queueMeeting(tx, context.model.workspace.id, meeting.id, stamp.now)
  await requestRefreshesFor(tx, context.model, [...addressesOf(before), ...addressesOf(after)], stamp.now)
  return meeting
}

/** Deletes a meeting for good; the records it is linked to stay. Throws 404 and 412. */
export const deleteMeeting = (context: ApiContext, meetingId: string, ifMatch: string | null): Promise<object> =>
  retryOnConflict(context, async ({ model, db, now }) => {
    const id = readId('Meeting', meetingId)
    await db.sql.begin(async (tx) => {
      const meeting = await findMeeting(tx, model.workspace.id, id, 'lock')
      if (meeting === undefined) throw meetingNotFound(meetingId)
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
