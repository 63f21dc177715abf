import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { callRecordingNotFound } from '#base/errors/meetings'
import { type CallRecordingPath, uuidOf } from './get'
import { deleteCallRecordingRow } from './store'

/** Deletes a call recording with its transcript and its video for good. A running fetch ends. Throws 404. */
export const deleteCallRecording = (
  context: ApiContext,
  { meeting_id, call_recording_id }: CallRecordingPath,
): Promise<void> =>
  retryOnConflict(context, async ({ model, db }) => {
    const key = { meetingId: uuidOf('Meeting', meeting_id), id: uuidOf('Call recording', call_recording_id) }
    if (!(await deleteCallRecordingRow(db.sql, model.workspace.id, key))) throw callRecordingNotFound(call_recording_id)
  })
