/** The floor's transcripts: the first page of a call recording, whose segments are sent as they are stored. */

import type { Sql } from '#db/connect'
import type { FloorContext } from './person'

interface TranscriptRow {
  readonly id: string
  readonly meeting_id: string
  readonly raw_transcript: string
  /** A JSON array. */
  readonly segments: string
}

const FIRST_PAGE = 'select id, meeting_id, raw_transcript, segments::text from floor.transcripts where id = $1'

export const floorRecordings = (sql: Sql, { workspaceId }: FloorContext) => ({
  '/v2/meetings/:meeting_id/call_recordings/:call_recording_id/transcript': {
    GET: async (request: Request & { readonly params: { readonly call_recording_id: string } }) => {
      const { call_recording_id } = request.params
      const [row] = await sql.unsafe<TranscriptRow[]>(FIRST_PAGE, [call_recording_id], { prepare: true })
      if (row === undefined) return new Response(null, { status: 404 })
      const { meeting_id, raw_transcript, segments } = row
      const id = { workspace_id: workspaceId, meeting_id, call_recording_id }
      const own = JSON.stringify({ id, web_url: `http://localhost/meetings/${meeting_id}`, raw_transcript })
      const pagination = JSON.stringify({ next_cursor: row.id })
      const text = `{"data":${own.slice(0, -1)},"transcript":${segments}},"pagination":${pagination}}`
      return new Response(text, { headers: { 'Content-Type': 'application/json' } })
    },
  },
})
