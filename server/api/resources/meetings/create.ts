import type { Transaction } from '#db/connect'
import { queueMeeting } from '#crm/contacts/job-store'
import type { RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { newId } from '#base/ids'
import { requestRefreshesFor } from '#crm/interactions/request-for-addresses'
import { VersionConflict } from '#engine/storage/preconditions'
import { timestampFromMicros } from '#base/timing/clock'
import { externalKeyOf } from './external-key'
import { lockLinkedRecords, parseLinkedRecords } from './linked-records'
import { addressesOf, type Meeting } from './meeting'
import { parseParticipants } from './participants'
import { type AnsweredMeeting, answerMeeting } from './render'
import type { MeetingInput } from './schemas'
import { findIdByExternalKey, findMeeting, insertMeeting } from './store'
import { parseTimes } from './times'

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
