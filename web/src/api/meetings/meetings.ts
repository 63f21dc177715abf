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

export const updateMeeting = async (id: string, data: MeetingChange): Promise<Meeting> =>
  (await api.patch<{ data: Meeting }>(meetingPath(id), { body: { data } })).data

export const deleteMeeting = (id: string): Promise<unknown> => api.delete(meetingPath(id))

export const meetingPath = (id: string): string => `/meetings/${encodeURIComponent(id)}`
