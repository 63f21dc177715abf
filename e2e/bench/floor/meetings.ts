/** The floor's meetings: rows, answers in the service's shape, and the route for them. */

import type { Sql } from '#db/connect'
import { type FloorContext, timestamp } from './person'

interface MeetingRow {
  readonly id: string
  readonly title: string
  readonly starts_at: string
  readonly ends_at: string
  readonly created_at: string
  readonly created_by: number
  readonly record_id: string
  readonly email_address: string
}

const LIMIT = 50
/** Meetings by start alone: the floor leaves out those that began before and have not ended. */
const FROM = `select * from floor.meetings where starts_at >= $1 order by starts_at, id limit ${LIMIT}`
const OF_RECORD = `select * from floor.meetings where record_id = $1 order by starts_at, id limit ${LIMIT}`

export function floorMeetings(sql: Sql, context: FloorContext) {
  return {
    '/v2/meetings': {
      GET: async (request: Request) => {
        const query = new URL(request.url).searchParams
        const record = query.get('linked_record_id')
        const [text, value] = record === null ? [FROM, query.get('ends_from')] : [OF_RECORD, record]
        const rows = (await sql.unsafe(text, [value], { prepare: true })) as unknown as MeetingRow[] // whole rows
        const data = rows.map((row) => renderMeeting(row, context))
        return Response.json({ data, pagination: { next_cursor: rows.at(-1)?.id ?? null } })
      },
    },
  }
}

const renderTime = (at: string) => ({ datetime: new Date(at).toISOString(), timezone: null })

function renderMeeting(row: MeetingRow, { workspaceId, objectId, actors }: FloorContext) {
  const { id: meeting_id, title, starts_at, ends_at, created_at, created_by, record_id, email_address } = row
  return {
    id: { workspace_id: workspaceId, meeting_id },
    title,
    description: '',
    is_all_day: false,
    start: renderTime(starts_at),
    end: renderTime(ends_at),
    participants: [{ status: 'accepted', is_organizer: true, email_address, name: null }],
    linked_records: [{ object_slug: 'people', object_id: objectId, record_id }],
    created_at: timestamp(created_at),
    created_by_actor: actors.get(created_by) ?? { type: 'system', id: null },
  }
}
