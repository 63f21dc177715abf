/** Lists call recordings. See docs/reference/call-recordings.md (Lists, Search). */

import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { meetingNotFound } from '#base/errors/meetings'
import { cursorsFor } from '#engine/query/run/cursor'
import { wordsOf } from '#engine/search/words'
import type { CallRecording } from './call-recording'
import { uuidOf } from './get'
import { type ListPlace, listRecordingsOfMeeting, listRecordings, searchRecordings } from './list-statements'
import { renderCallRecording } from './render'
import type { CallRecordingOutput, CallRecordingsQuery, SearchCallRecordingsQuery } from './schemas'
import { hasMeeting } from './store'

export interface CallRecordingsPage {
  readonly data: CallRecordingOutput[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** The oldest first. Throws 404 for the meeting. */
export const listCallRecordings = (
  context: ApiContext,
  meetingId: string,
  query: CallRecordingsQuery,
): Promise<CallRecordingsPage> =>
  retryOnConflict(context, async (context) => {
    const id = uuidOf('Meeting', meetingId)
    if (!(await hasMeeting(context.db.sql, context.model.workspace.id, id))) throw meetingNotFound(meetingId)
    return pageOf(context, `call recordings of ${id}`, query, (place) => listRecordingsOfMeeting(context, id, place))
  })

/** The recordings of all meetings, or those whose transcript has all words. The newest first. */
export const searchCallRecordings = (
  context: ApiContext,
  query: SearchCallRecordingsQuery,
): Promise<CallRecordingsPage> =>
  retryOnConflict(context, (context) => {
    const words = query.query === undefined ? undefined : wordsOf(query.query)
    return pageOf(context, 'call recordings', query, async (place) => {
      if (words === undefined) return listRecordings(context, place)
      return words.length === 0 ? [] : searchRecordings(context, words, place)
    })
  })

/** One more recording than the limit shows whether another page follows. */
async function pageOf(
  context: ApiContext,
  source: string,
  query: CallRecordingsQuery,
  read: (place: ListPlace) => Promise<readonly CallRecording[]>,
): Promise<CallRecordingsPage> {
  const { limit = 50, cursor } = query
  const cursors = await cursorsFor(context, { id: source }, query)
  const [created_at = null, id = null] = cursor === undefined ? [] : cursors.decode(cursor)
  const after = created_at === null || id === null ? undefined : { created_at, id }
  const found = await read({ after, limit: limit + 1 })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const next_cursor = last && found.length > limit ? cursors.encode([last.created_at, last.id]) : null
  const data = page.map((recording) => renderCallRecording(context.model, context.appUrl, recording))
  return { data, pagination: { next_cursor } }
}
