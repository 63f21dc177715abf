/** The call recordings of meetings. */

import type {
  CallRecordingDetail,
  CallRecordingInput,
  CallRecordingOutput,
  Segment,
} from '#api/resources/call-recordings/schemas'
import type { CursorPage } from '../cursor-page'
import { api } from '../client'
import { meetingPath } from './meetings'

export type CallRecording = CallRecordingOutput
export type { CallRecordingDetail, CallRecordingInput, Segment }

const PAGE = 200

export const listCallRecordings = async (meetingId: string, signal: AbortSignal): Promise<readonly CallRecording[]> => {
  const query = { limit: PAGE }
  return (await api.get<CursorPage<CallRecording>>(recordingsPath(meetingId), { query, signal })).data
}

export async function getCallRecording({ id }: CallRecording, signal?: AbortSignal): Promise<CallRecordingDetail> {
  const { data } = await api.get<{ data: CallRecordingDetail }>(recordingPath(id), { signal })
  // The console may be open under another name of the service than that of the URL, such as `127.0.0.1`.
  return { ...data, video_url: data.video_url && new URL(data.video_url).pathname }
}

export const createCallRecording = (meetingId: string, data: CallRecordingInput): Promise<unknown> =>
  api.post(recordingsPath(meetingId), { body: { data } })

export const deleteCallRecording = ({ id }: CallRecording): Promise<unknown> => api.delete(recordingPath(id))

const recordingsPath = (meetingId: string): string => `${meetingPath(meetingId)}/call_recordings`

const recordingPath = ({ meeting_id, call_recording_id }: CallRecording['id']): string =>
  `${recordingsPath(meeting_id)}/${encodeURIComponent(call_recording_id)}`
