/** Call recordings for tests. */

import type { Client, RequestOptions } from './client'

/** A segment of a transcript that begins at a second. */
export const segment = (start_time: number, name = 'Ada', speech = `Word ${start_time}`) => ({
  speech,
  start_time,
  end_time: start_time + 1,
  speaker: { name },
})

/** As many segments of two speakers in turns. */
export const manySegments = (count: number) =>
  Array.from({ length: count }, (_, at) => segment(at, at % 2 === 0 ? 'Ada' : 'Grace'))

export const recordingIdOf = ({ id }: { id: { call_recording_id: string } }): string => id.call_recording_id

export type CallRecordingClient = ReturnType<typeof callRecordingClient>

export function callRecordingClient({ request }: { request: Client }) {
  const of = (meeting: string) => `/v2/meetings/${meeting}/call_recordings`
  const create = (meeting: string, data: unknown, options: RequestOptions = {}) =>
    request('POST', of(meeting), { data }, options)
  return {
    create,
    /** Creates a recording and returns its id. */
    async recording(meeting: string, data: unknown = { transcript: [segment(0)] }): Promise<string> {
      const { status, body } = await create(meeting, data)
      if (status !== 200) throw new Error(`POST ${of(meeting)} answered ${status}: ${body.message}`)
      return recordingIdOf(body.data)
    },
    list: (meeting: string, query = '', options: RequestOptions = {}) =>
      request('GET', `${of(meeting)}${query}`, undefined, options),
    get: (meeting: string, id: string, options: RequestOptions = {}) =>
      request('GET', `${of(meeting)}/${id}`, undefined, options),
    transcript: (meeting: string, id: string, query = '', options: RequestOptions = {}) =>
      request('GET', `${of(meeting)}/${id}/transcript${query}`, undefined, options),
    remove: (meeting: string, id: string, options: RequestOptions = {}) =>
      request('DELETE', `${of(meeting)}/${id}`, undefined, options),
    search: (query: Record<string, string>, options: RequestOptions = {}) =>
      request('GET', `/v2/call_recordings?${new URLSearchParams(query)}`, undefined, options),
  }
}
