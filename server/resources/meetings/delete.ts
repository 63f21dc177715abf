import type { ApiContext } from '../../context'
import { requireMatch } from '../../entities/read/etag'
import { retryOnConflict } from '../../entities/write/retry-on-conflict'
import { meetingNotFound } from '../../errors/meetings'
import { requestRefreshesFor } from '../../interactions/request-for-addresses'
import { meetingIdOf } from './get'
import { addressesOf } from './meeting'
import { deleteMeetingRow, findMeeting } from './store'

/** Deletes a meeting for good; the records it is linked to stay. Throws 404 and 412. */
export const deleteMeeting = (context: ApiContext, meetingId: string, ifMatch: string | null): Promise<object> =>
  retryOnConflict(context, async ({ model, db, now }) => {
    const id = meetingIdOf(meetingId)
    await db.sql.begin(async (tx) => {
      const meeting = await findMeeting(tx, model.workspace.id, id, 'lock')
      if (meeting === undefined) throw meetingNotFound(meetingId)
      requireMatch(meeting, ifMatch)
      await deleteMeetingRow(tx, model.workspace.id, id)
      await requestRefreshesFor(tx, model, addressesOf(meeting), now())
    })
    return {}
  })
