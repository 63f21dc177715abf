import type { Transaction } from '#db/connect'
import type { ApiContext, RequestContext } from '#context'
import { requireMatch } from '#engine/entities/read/etag'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { meetingNotFound } from '#base/errors/meetings'
import { requestRefreshesFor } from '#crm/interactions/request-for-addresses'
import { meetingIdOf } from './get'
import { addressesOf, type Meeting } from './meeting'
import { deleteMeetingRow, findMeeting } from './store'

/** Deletes a meeting for good; the records it is linked to stay. Throws 404 and 412. */
export const deleteMeeting = (context: ApiContext, meetingId: string, ifMatch: string | null): Promise<object> =>
  retryOnConflict(context, async ({ model, db, now }) => {
    const id = meetingIdOf(meetingId)
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
