/** The floor's tasks: rows, answers in the service's shape, and the routes for them. */

import type { Sql } from '#db/connect'
import { type FloorContext, timestamp } from './person'

interface TaskRow {
  readonly id: string
  readonly content: string
  readonly deadline_at: string | null
  readonly completed_at: string | null
  readonly created_at: string
  readonly created_by: number
  readonly record_id: string
  readonly assignee: number | null
}

/** What the load sends is always well-formed. */
interface TaskBody {
  readonly data: {
    readonly content: string
    readonly deadline_at: string
    readonly linked_records: readonly [{ readonly target_record_id: string }]
  }
}

const OF_MEMBER = `select * from floor.tasks where assignee = $1 and completed_at is null
  order by deadline_at, created_at, id limit $2 offset $3`
const OF_RECORD = `select * from floor.tasks where record_id = $1 order by created_at, id limit $2 offset $3`
const CREATE = `insert into floor.tasks (id, content, deadline_at, created_at, created_by, record_id, assignee)
  values ($1, $2, $3, now(), $4, $5, $4) returning *`

/** The routes. They fail when the floor has no tasks. */
export async function floorTasks(sql: Sql, context: FloorContext) {
  const [made] = await sql<{ exists: boolean }[]>`select to_regclass('floor.tasks') is not null as exists`
  const [assigned] = made?.exists
    ? await sql<{ assignee: number }[]>`select assignee from floor.tasks where assignee is not null limit 1`
    : []
  const member = assigned?.assignee ?? 0
  const run = async (text: string, values: readonly unknown[]) =>
    (await sql.unsafe(text, values as never[], { prepare: true })) as unknown as TaskRow[] // whole rows
  const render = (row: TaskRow) => renderTask(row, context)
  return {
    '/v2/tasks': {
      GET: async (request: Request) => {
        const query = new URL(request.url).searchParams
        const page = [query.get('limit'), query.get('offset') ?? 0]
        const record = query.get('linked_record_id')
        const rows = await (record === null ? run(OF_MEMBER, [member, ...page]) : run(OF_RECORD, [record, ...page]))
        return Response.json({ data: rows.map(render) })
      },
      POST: async (request: Request) => {
        const { content, deadline_at, linked_records } = ((await request.json()) as TaskBody).data // as above
        const row = [Bun.randomUUIDv7(), content, deadline_at, member, linked_records[0].target_record_id]
        const [task] = await run(CREATE, row)
        return Response.json({ data: task && render(task) })
      },
    },
  }
}

function renderTask(row: TaskRow, { workspaceId, actors }: FloorContext) {
  const { id: task_id, content, deadline_at, completed_at, created_at, created_by, record_id, assignee } = row
  const member = assignee === null ? undefined : actors.get(assignee)
  return {
    id: { workspace_id: workspaceId, task_id },
    content_plaintext: content,
    deadline_at: deadline_at && timestamp(deadline_at),
    is_completed: completed_at !== null,
    completed_at: completed_at && timestamp(completed_at),
    linked_records: [{ target_object_id: 'people', target_record_id: record_id }],
    assignees: member ? [{ referenced_actor_type: member.type, referenced_actor_id: member.id }] : [],
    created_by_actor: actors.get(created_by) ?? { type: 'system', id: null },
    created_at: timestamp(created_at),
  }
}
