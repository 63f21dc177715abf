/** Finds or creates, changes and deletes meetings, for callers of the API and for calendars. See docs/reference/meetings.md. */

import type { Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import { queueMeeting } from '#crm/contacts/job-store'
import { requestRefreshesFor } from '#crm/interactions/refresh-queue'
import { VersionConflict } from '#engine/storage/preconditions'
import { addressesOf, type Meeting } from './meeting'
import type { MeetingInput } from './meeting-input'
import { externalKeyOf, lockLinkedRecords, parseLinkedRecords, parseParticipants } from './parse-input'
import { deleteMeetingRow, findIdByExternalKey, findMeeting, insertMeeting, updateMeetingRows } from './store'
import { parseTimes } from './times'

interface CreateOptions {
  /** What identifies the meeting, instead of its `external_ref`. */
  readonly externalKey?: string
  /** Runs in the transaction that creates the meeting. */
  readonly onInserted?: (tx: Transaction, meetingId: string) => Promise<void>
}

/**
 * Creates a meeting. With an `external_ref`, returns the meeting that was created with it before, unchanged. Throws 400 for times,
 * participants and records, and `VersionConflict` when another request creates it at the same time.
 */
export async function findOrCreateMeeting(
  context: RequestContext,
  input: MeetingInput,
  { externalKey: givenKey, onInserted }: CreateOptions = {},
): Promise<Meeting> {
  const { model, actor } = context
  const now = context.now()
  const times = parseTimes(input)
  const externalKey = givenKey ?? (input.external_ref === undefined ? null : externalKeyOf(input.external_ref, times))
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
    calendars: [],
  }
  const existing = await findByExternalKey(context, externalKey)
  if (existing) return existing
  await context.db.sql.begin(async (tx) => {
    await lockLinkedRecords(tx, model, meeting.links)
    // Another request has created the meeting since: the retry finds it.
    const isInserted = await insertMeeting(tx, model.workspace.id, meeting, { now, actor, externalKey })
    if (!isInserted) throw new VersionConflict()
    const hasAddress = meeting.participants.some(({ emailAddress }) => emailAddress !== null)
    if (hasAddress) await queueMeeting(tx, model.workspace.id, meeting.id, now)
    await requestRefreshesFor(tx, model, addressesOf(meeting), now)
    await onInserted?.(tx, meeting.id)
  })
  return meeting
}

async function findByExternalKey({ db, model }: RequestContext, key: string | null): Promise<Meeting | undefined> {
  const id = key === null ? undefined : await findIdByExternalKey(db.sql, model.workspace.id, key)
  return id === undefined ? undefined : findMeeting(db.sql, model.workspace.id, id)
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

/** Deletes a locked meeting, and requests the interaction attributes that follow from it. */
export async function deleteLockedMeeting(
  tx: Transaction,
  { model, now }: Pick<RequestContext, 'model' | 'now'>,
  meeting: Meeting,
): Promise<void> {
  await deleteMeetingRow(tx, model.workspace.id, meeting.id)
  await requestRefreshesFor(tx, model, addressesOf(meeting), now())
}
