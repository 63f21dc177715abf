/** The floor's notes: rows, answers in the service's shape, and the routes for them. */

import type { Sql } from '#db/connect'
import { type FloorContext, timestamp } from './person'

interface NoteRow {
  readonly id: string
  readonly parent_record_id: string
  readonly title: string
  readonly content_plaintext: string
  readonly content_markdown: string
  readonly created_by: number
  readonly created_at: string
}

/** What the load sends is always well-formed. */
interface NoteBody {
  readonly data: { readonly parent_record_id: string; readonly title: string; readonly content: string }
}

const OF_RECORD = 'select * from floor.notes where parent_record_id = $1 order by created_at, id limit 10'
const NEWEST = 'select * from floor.notes order by created_at desc, id desc limit 10'
const CREATE = `
  insert into floor.notes (id, parent_record_id, title, content_plaintext, content_markdown, created_by, created_at)
  values ($1, $2, $3, $4, $4, $5, now()) returning *`

export function floorNotes(sql: Sql, context: FloorContext, actor: number) {
  const run = async (text: string, values: readonly unknown[]) =>
    (await sql.unsafe(text, values as never[], { prepare: true })) as unknown as NoteRow[] // whole rows
  const render = (row: NoteRow) => renderNote(row, context)
  return {
    '/v2/notes': {
      GET: async (request: Request) => {
        const record = new URL(request.url).searchParams.get('parent_record_id')
        const rows = record === null ? await run(NEWEST, []) : await run(OF_RECORD, [record])
        return Response.json({ data: rows.map(render) })
      },
      POST: async (request: Request) => {
        const { parent_record_id, title, content } = ((await request.json()) as NoteBody).data // as above
        const [row] = await run(CREATE, [Bun.randomUUIDv7(), parent_record_id, title, content, actor])
        return Response.json({ data: row && render(row) })
      },
    },
  }
}

function renderNote({ id, created_at, created_by, ...members }: NoteRow, { workspaceId, actors }: FloorContext) {
  return {
    id: { workspace_id: workspaceId, note_id: id },
    parent_object: 'people',
    ...members,
    meeting_id: null,
    tags: [],
    created_by_actor: actors.get(created_by) ?? { type: 'system', id: null },
    created_at: timestamp(created_at),
  }
}
