/** Reads a meeting. See docs/reference/meetings.md. */

import { runOnLookupPool } from '#db/lookup-pool'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { invalidRequest } from '#base/errors/http'
import { meetingNotFound } from '#base/errors/meetings'
import { type AnsweredMeeting, answerMeeting } from './render'
import { findMeeting } from './store'

/** Throws 404. */
export const getMeeting = (context: ApiContext, meetingId: string): Promise<AnsweredMeeting> =>
  retryOnConflict(context, async ({ model, db }) => {
    const id = meetingIdOf(meetingId)
    const meeting = await runOnLookupPool(db, (sql) => findMeeting(sql, model.workspace.id, id))
    if (meeting === undefined) throw meetingNotFound(meetingId)
    return answerMeeting(model, meeting)
  })

/** In lower case. Throws 400 when it is not a UUID. */
export function meetingIdOf(text: string): string {
  if (!isUuid(text)) throw invalidRequest(`Meeting ID "${text}" is not a UUID.`)
  return text.toLowerCase()
}
