/** The floor's files: rows, answers in the service's shape, and the route for them. */

import type { Sql } from '#db/connect'
import { type FloorContext, timestamp } from './person'

interface FileRow {
  readonly id: string
  readonly record_id: string
  readonly name: string
  readonly content_type: string
  readonly content_size: string
  readonly created_by: number
  readonly created_at: string
}

const OF_RECORD = 'select * from floor.files where record_id = $1 order by created_at, id limit 50'

export const floorFiles = (sql: Sql, context: FloorContext) => ({
  '/v2/files': {
    GET: async (request: Request) => {
      const recordId = new URL(request.url).searchParams.get('record_id') ?? ''
      const rows = await sql.unsafe<FileRow[]>(OF_RECORD, [recordId], { prepare: true })
      return Response.json({ data: rows.map((row) => renderFile(row, context)), pagination: { next_cursor: null } })
    },
  },
})

function renderFile(row: FileRow, { workspaceId, objectId, actors }: FloorContext) {
  const { id: file_id, record_id, name, content_type, content_size, created_by, created_at } = row
  return {
    id: { workspace_id: workspaceId, file_id },
    object_id: objectId,
    object_slug: 'people',
    record_id,
    storage_provider: 'relata',
    created_by_actor: actors.get(created_by) ?? { type: 'system', id: null },
    created_at: timestamp(created_at),
    file_type: 'file',
    name,
    content_type,
    content_size: Number(content_size),
    parent_folder_id: null,
  }
}
