/** Creates and deletes call recordings. See docs/reference/call-recordings.md. */

import type { Transaction } from '#db/connect'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { serviceUnavailable, readId } from '#base/errors/http'
import { callRecordingNotFound, meetingNotFound, nothingRecorded, unusableVideo } from '#base/errors/meetings'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { type CallRecording, deleteCallRecordingRow, insertCallRecording, insertFetch, lockMeeting } from './store'
import { viewerOf } from '#crm/mailboxes/list-emails'
import { readVisibility } from '#crm/meetings/visibility'
import { mediaTypeOf, VideoError } from './fetch/video-client'
import { type CallRecordingPath, renderCallRecording } from './read'
import type { CallRecordingInput, CallRecordingOutput } from './schemas'
import { insertTranscript, type PreparedTranscript, prepareTranscript } from './transcript/transcript'
import { appendToOutbox } from '#engine/outbox/outbox'

/** A video, or audio alone, that its host offers. */
interface VideoInput {
  readonly url: string
  readonly size: number
  readonly type: string
}

/** What a body gives, checked. */
interface Contents {
  readonly video: VideoInput | undefined
  readonly transcript: PreparedTranscript | undefined
}

/** Throws 404 for the meeting, and 400 for a video that its host does not offer as required. */
export async function createCallRecording(
  context: ApiContext,
  meetingId: string,
  { video_url, transcript }: CallRecordingInput,
): Promise<CallRecordingOutput> {
  const id = readId('Meeting', meetingId)
  if (video_url === undefined && transcript === undefined) throw nothingRecorded()
  if ((await readVisibility(context.db.sql, context.model.workspace.id, id, viewerOf(context))) === 'nothing')
    throw meetingNotFound(meetingId)
  const contents: Contents = {
    transcript: transcript && (await prepareTranscript(transcript)),
    video: video_url === undefined ? undefined : await readVideo(context, video_url),
  }
  const created = await retryOnConflict(context, async (context) => {
    const recording = await context.db.sql.begin((tx) => save(tx, context, id, contents))
    return renderCallRecording(context.model, context.appUrl, recording as CallRecording) // the driver's type for the callback's result is wider
  })
  context.workers?.wake('videos')
  return created
}

async function save(
  tx: Transaction,
  { model, actor, now }: ApiContext,
  meetingId: string,
  { video, transcript }: Contents,
): Promise<CallRecording> {
  const workspaceId = model.workspace.id
  if (!(await lockMeeting(tx, workspaceId, meetingId))) throw meetingNotFound(meetingId)
  const at: Micros = now()
  const recording: CallRecording = {
    id: newId(),
    meeting_id: meetingId,
    status: video === undefined ? 'completed' : 'processing',
    blob_digest: null,
    media_type: video?.type ?? null,
    created_at: timestampFromMicros(at),
    created_by: actor,
  }
  await insertCallRecording(tx, workspaceId, recording)
  if (transcript !== undefined) await insertTranscript(tx, workspaceId, recording.id, transcript)
  if (video !== undefined)
    await insertFetch(tx, { workspaceId, recordingId: recording.id, url: video.url, size: video.size }, at)
  else await recordCompletion(tx, workspaceId, recording, at)
  return recording
}

/** An idempotent request holds a connection of the database meanwhile, so few requests wait for hosts at a time. */
const MAX_HEADS = 4
let heads = 0

async function readVideo({ videos }: ApiContext, url: string): Promise<VideoInput> {
  if (heads >= MAX_HEADS) throw serviceUnavailable(new Date(Date.now() + 1000))
  heads++
  try {
    const size = await videos.readSize(url)
    return { url, size, type: mediaTypeOf(url) }
  } catch (error) {
    throw error instanceof VideoError ? unusableVideo(error.message) : error
  } finally {
    heads--
  }
}

/** Deletes a call recording with its transcript and its video for good. A running fetch ends. Throws 404. */
export const deleteCallRecording = (
  context: ApiContext,
  { meeting_id, call_recording_id }: CallRecordingPath,
): Promise<void> =>
  retryOnConflict(context, async ({ model, db }) => {
    const key = { meetingId: readId('Meeting', meeting_id), id: readId('Call recording', call_recording_id) }
    if (!(await deleteCallRecordingRow(db.sql, model.workspace.id, key))) throw callRecordingNotFound(call_recording_id)
  })

// The change event of call recordings. See docs/reference/webhooks-and-events.md (Event types).

/** Appends the event in the transaction that completes the recording. The actor is the creator. */
export const recordCompletion = (
  tx: Transaction,
  workspaceId: string,
  { id, meeting_id, created_by }: Pick<CallRecording, 'id' | 'meeting_id' | 'created_by'>,
  at: Micros,
): Promise<void> =>
  appendToOutbox(tx, { workspaceId, actor: created_by, at }, [
    { event_type: 'call-recording.created', id: { meeting_id, call_recording_id: id } },
  ])
