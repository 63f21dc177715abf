/** Finds or creates, changes and deletes meetings. See docs/reference/meetings.md. */

import type { ApiContext, RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { lockLinkedRecords, parseLinkedRecords, parseParticipants } from '#crm/meetings/parse-input'
import type { Meeting, MeetingLink, MeetingTimes } from '#crm/meetings/meeting'
import type { LinkedRecordInput, MeetingInput } from '#crm/meetings/meeting-input'
import { viewerOf } from '#crm/mailboxes/list-emails'
import { deleteImportedEvent, findMeeting, isImportedMeeting } from '#crm/meetings/store'
import { deleteAllSyncedMeetings } from '#crm/meetings/synced-meetings'
import { readVisibility, visibilityOf, visibleMeeting } from '#crm/meetings/visibility'
import { VersionConflict } from '#engine/storage/preconditions'
import { parseTimes, renderEnd, renderStart } from '#crm/meetings/times'
import { deleteLockedMeeting, findOrCreateMeeting, saveMeeting } from '#crm/meetings/write-meeting'
import { type AnsweredMeeting, answerMeeting } from './render'
import type { MeetingChange } from './schemas'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import type { DataModel } from '#engine/data-model/model'
import { requireMatch } from '#engine/entities/read/etag'
import { emptyPayload, readId } from '#base/errors/http'
import { meetingIsImported, meetingNotFound, tooManyLinks } from '#base/errors/meetings'

/**
 * With an `external_ref`, returns the meeting that was created with it before, unchanged; of two requests at once, one creates it.
 * Throws 400 for times, participants and records. See docs/reference/meetings.md (Find or create).
 */
export const createMeeting = (context: RequestContext, input: MeetingInput): Promise<AnsweredMeeting> =>
  retryOnConflict(context, async (context) => {
    const meeting = await findOrCreateMeeting(context, input)
    const isSeen = visibilityOf(meeting.calendars, viewerOf(context)) === 'everything'
    return answerOf(context, isSeen ? meeting : await takeOver(context, meeting, input))
  })

/**
 * A meeting of connected calendars that the caller does not see as a whole becomes the meeting that the caller creates, so that the answer
 * tells nothing of the calendars. They no longer change it.
 */
async function takeOver(context: RequestContext, { id }: Meeting, input: MeetingInput): Promise<Meeting> {
  const { model, db } = context
  const links = parseLinkedRecords(model, input.linked_records ?? [])
  const { title, description } = input
  const state = {
    title,
    description,
    links,
    participants: parseParticipants(model, input.participants),
    ...parseTimes(input),
  }
  const taken = await db.sql.begin(async (tx) => {
    await lockLinkedRecords(tx, model, links)
    const before = await findMeeting(tx, model.workspace.id, id, 'lock')
    if (before === undefined) throw new VersionConflict()
    await deleteAllSyncedMeetings(tx, model.workspace.id, id)
    await deleteImportedEvent(tx, model.workspace.id, id)
    return { ...(await saveMeeting(tx, context, before, { ...before, ...state })), calendars: [] }
  })
  return taken as Meeting // the driver's type for the callback's result is wider
}

/** The answer to a caller who sees the meeting. */
function answerOf(context: RequestContext, meeting: Meeting): AnsweredMeeting {
  const answer = answerMeeting(context, meeting)
  if (answer === undefined) throw meetingNotFound(meeting.id)
  return answer
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
    if ((await readVisibility(db.sql, model.workspace.id, id, viewerOf(context))) === 'nothing')
      throw meetingNotFound(meetingId)
    const named = parseLinkedRecords(model, linked_records)
    const meeting = await db.sql.begin(async (tx) => {
      // A deletion of a record locks the record first and then its meetings, so a write does too.
      await lockLinkedRecords(tx, model, named)
      const before = await findMeeting(tx, model.workspace.id, id, 'lock')
      if (before === undefined) throw meetingNotFound(meetingId)
      requireMatch(before, ifMatch)
      return saveMeeting(tx, context, before, { ...before, ...change(model, before, named) })
    })
    return answerOf(context, meeting as Meeting) // the driver's type for the callback's result is wider
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

/** Deletes a meeting for good; the records it is linked to stay. Throws 404, 412, and without `force` 400 for a meeting of a calendar import. */
export const deleteMeeting = (
  context: ApiContext,
  meetingId: string,
  { force, ifMatch }: { readonly force: boolean; readonly ifMatch: string | null },
): Promise<object> =>
  retryOnConflict(context, async (context) => {
    const { model, db, now } = context
    const id = readId('Meeting', meetingId)
    await db.sql.begin(async (tx) => {
      const meeting = await findMeeting(tx, model.workspace.id, id, 'lock')
      if (meeting === undefined || visibleMeeting(meeting, viewerOf(context)) === undefined)
        throw meetingNotFound(meetingId)
      if (!force && (await isImportedMeeting(tx, model.workspace.id, id))) throw meetingIsImported()
      requireMatch(meeting, ifMatch)
      await deleteLockedMeeting(tx, { model, now }, meeting)
    })
    return {}
  })
