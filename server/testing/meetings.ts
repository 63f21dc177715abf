/** Meetings for tests. */

import type { Client, RequestOptions } from './client'

/** A body that creates a meeting, with other members where given. */
export const meetingInput = (members: Readonly<Record<string, unknown>> = {}) => ({
  title: 'Weekly',
  description: 'About the contract',
  start: { datetime: '2027-11-27T14:00:00Z' },
  end: { datetime: '2027-11-27T15:00:00Z' },
  is_all_day: false,
  participants: [participant('ada@example.com')],
  ...members,
})

export const participant = (email_address: string, members: Readonly<Record<string, unknown>> = {}) => ({
  email_address,
  is_organizer: false,
  status: 'accepted',
  ...members,
})

/** The start and the end of an all-day meeting. */
export const days = (start: string, end: string) => ({
  is_all_day: true,
  start: { date: start },
  end: { date: end },
})

/** The start and the end of another meeting. */
export const times = (start: string, end: string, timezone?: string) => {
  const zone = timezone === undefined ? {} : { timezone }
  return { start: { datetime: start, ...zone }, end: { datetime: end, ...zone } }
}

export const meetingIdOf = ({ id }: { id: { meeting_id: string } }): string => id.meeting_id

export type MeetingClient = ReturnType<typeof meetingClient>

export function meetingClient({ request }: { request: Client }) {
  const create = (members: Readonly<Record<string, unknown>> = {}, options: RequestOptions = {}) =>
    request('POST', '/v2/meetings', { data: meetingInput(members) }, options)
  return {
    create,
    /** Creates a meeting and returns its id. */
    async meeting(members: Readonly<Record<string, unknown>> = {}): Promise<string> {
      const { status, body } = await create(members)
      if (status !== 200) throw new Error(`POST /v2/meetings answered ${status}: ${body.message}`)
      return meetingIdOf(body.data)
    },
    get: (id: string, options: RequestOptions = {}) => request('GET', `/v2/meetings/${id}`, undefined, options),
    update: (id: string, data: unknown, options: RequestOptions = {}) =>
      request('PATCH', `/v2/meetings/${id}`, { data }, options),
    replace: (id: string, linked_records: unknown, options: RequestOptions = {}) =>
      request('PUT', `/v2/meetings/${id}`, { data: { linked_records } }, options),
    remove: (id: string, options: RequestOptions = {}) => request('DELETE', `/v2/meetings/${id}`, undefined, options),
    list: (query: string, options: RequestOptions = {}) => request('GET', `/v2/meetings${query}`, undefined, options),
  }
}
