/** Meetings. */

import type { MeetingChange, MeetingInput, MeetingOutput, MeetingsQuery } from '#api/resources/meetings/schemas'
import type { CursorPage } from '../cursor-page'
import { api } from '../client'

export type Meeting = MeetingOutput
export type { MeetingChange, MeetingInput }
export type Participant = Meeting['participants'][number]
export type MeetingTime = Meeting['start']

export const idOfMeeting = ({ id }: Meeting): string => id.meeting_id

export const listMeetings = (query: MeetingsQuery, signal: AbortSignal): Promise<CursorPage<Meeting>> =>
  api.get<CursorPage<Meeting>>('/meetings', { query, signal })

export const getMeeting = async (id: string, signal?: AbortSignal): Promise<Meeting> =>
  (await api.get<{ data: Meeting }>(meetingPath(id), { signal })).data

export const createMeeting = async (data: MeetingInput): Promise<Meeting> =>
  (await api.post<{ data: Meeting }>('/meetings', { body: { data } })).data

/** Changes the members that are given. Linked records are replaced, by a request of their own. */
export async function updateMeeting(id: string, { linked_records, ...others }: MeetingChange): Promise<void> {
  if (Object.keys(others).length > 0) await api.patch(meetingPath(id), { body: { data: others } })
  if (linked_records !== undefined) await api.put(meetingPath(id), { body: { data: { linked_records } } })
}

/** Also a meeting of a calendar import. */
export const deleteMeeting = (id: string): Promise<unknown> => api.delete(meetingPath(id), { query: { force: true } })

export const meetingPath = (id: string): string => `/meetings/${encodeURIComponent(id)}`
