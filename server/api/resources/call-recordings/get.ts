/** Reads a call recording with its transcript. See docs/reference/call-recordings.md. */

import { runOnLookupPool } from '#db/lookup-pool'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { callRecordingNotFound } from '#base/errors/meetings'
import { invalidRequest } from '#base/errors/http'
import type { CallRecording } from './call-recording'
import { renderCallRecording } from './render'
import { findCallRecording } from './store'
import { listTranscriptPages, findRawTranscript } from './transcript/store'
import { signVideoUrl } from './video-url'

/** The parameters of the path of a call recording. */
export interface CallRecordingPath {
  readonly meeting_id: string
  readonly call_recording_id: string
}

/** The pieces of the JSON of the answer. Throws 404. */
export const getCallRecording = (context: ApiContext, path: CallRecordingPath): Promise<string[]> =>
  retryOnConflict(context, async (context) => {
    const recording = await requireCallRecording(context, path)
    const workspaceId = context.model.workspace.id
    const [pages, raw] = await Promise.all([
      listTranscriptPages(context.db.sql, workspaceId, recording.id),
      findRawTranscript(context.db.sql, workspaceId, recording.id),
    ])
    const { id, ...members } = renderCallRecording(context.model, context.appUrl, recording)
    const video_url = await signVideoUrl(context, recording)
    const own = JSON.stringify({ id, ...members, video_url }).slice(0, -1) // without the brace, so that the transcript can follow
    return ['{"data":', own, ',"transcript":', ...renderTranscript(pages, raw), '}}']
  })

/** The stored pages are JSON arrays. */
function renderTranscript(pages: readonly string[], raw: string | undefined): string[] {
  if (raw === undefined) return ['null']
  const segments = pages.map((page) => page.slice(1, -1)).join(',')
  return ['{"segments":[', segments, '],"raw_transcript":', JSON.stringify(raw), '}']
}

/** Throws 404, also for a recording of another meeting, and 400 when an id is not a UUID. */
export async function requireCallRecording(
  { model, db }: ApiContext,
  { meeting_id, call_recording_id }: CallRecordingPath,
): Promise<CallRecording> {
  const key = { meetingId: uuidOf('Meeting', meeting_id), id: uuidOf('Call recording', call_recording_id) }
  const recording = await runOnLookupPool(db, (sql) => findCallRecording(sql, model.workspace.id, key))
  if (recording === undefined) throw callRecordingNotFound(call_recording_id)
  return recording
}

/** In lower case. Throws 400 when it is not a UUID. */
export function uuidOf(name: 'Meeting' | 'Call recording', text: string): string {
  if (!isUuid(text)) throw invalidRequest(`${name} ID "${text}" is not a UUID.`)
  return text.toLowerCase()
}
