/** The calls of tools: which assistant called which tool on what, without arguments and results. */

import { sql } from 'kysely'
import type { Database } from '#db/connect'
import { newId } from '#base/ids'
import { type Clock, type Micros, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import { periodicWorker } from '#base/timing/run-periodically'

interface NewToolCall {
  readonly workspaceId: string
  readonly actor: number
  readonly tool: string
  /** The slug of an object or a list. */
  readonly subject: string | null
  /** The id of a record, an entry, a note or a task. */
  readonly subjectId: string | null
  readonly status: number
  readonly durationMs: number
  readonly now: Micros
}

export async function insertToolCall({ control }: Database, call: NewToolCall): Promise<void> {
  await control
    .insertInto('relata.tool_calls')
    .values({
      workspace_id: call.workspaceId,
      created_at: timestampFromMicros(call.now),
      id: newId(),
      actor: call.actor,
      tool: call.tool,
      subject: call.subject,
      subject_id: call.subjectId,
      status: call.status,
      duration_ms: call.durationMs,
    })
    .execute()
}

interface ToolCallRow {
  readonly id: string
  readonly client_name: string | null
  readonly tool: string
  readonly subject: string | null
  readonly subject_id: string | null
  readonly status: number
  readonly duration_ms: number
  readonly created_at: string
}

/** Returns the last calls, the newest first. */
export async function listToolCalls({ control }: Database, workspaceId: string, limit: number): Promise<ToolCallRow[]> {
  const rows = await control
    .selectFrom('relata.tool_calls as c')
    .innerJoin('relata.actors as a', (join) =>
      join.onRef('a.workspace_id', '=', 'c.workspace_id').onRef('a.number', '=', 'c.actor'),
    )
    .leftJoin('relata.apps as p', (join) => join.onRef('p.id', '=', sql`a.id`))
    .leftJoin('relata.tokens as t', (join) =>
      join.onRef('t.workspace_id', '=', 'c.workspace_id').onRef('t.id', '=', sql`a.id`),
    )
    .select(['c.id', 'c.tool', 'c.subject', 'c.subject_id', 'c.status', 'c.duration_ms', 'c.created_at'])
    .select(sql<string | null>`coalesce(p.name, t.name)`.as('client_name'))
    .where('c.workspace_id', '=', workspaceId)
    .orderBy('c.created_at', 'desc')
    .orderBy('c.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, created_at: timestampFromPostgres(row.created_at) }))
}

/** Deletes some calls from before a time, the oldest of each workspace. Returns how many. */
async function deleteToolCallsBefore({ control }: Database, before: Micros, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from relata.tool_calls c using (
      select old.workspace_id, old.created_at, old.id
      from relata.workspaces w cross join lateral (
        select workspace_id, created_at, id from relata.tool_calls
        where workspace_id = w.id and created_at < ${timestampFromMicros(before)}::timestamptz
        order by created_at, id limit ${limit}
      ) old
      limit ${limit}
    ) o
    where c.workspace_id = o.workspace_id and c.created_at = o.created_at and c.id = o.id`.execute(control)
  return Number(numAffectedRows)
}

const BATCH_SIZE = 1000
const DAY_MICROS = 24 * 3600 * 1_000_000

interface DeletionContext {
  readonly db: Database
  readonly now: Clock
  /** For how many days calls are kept. */
  readonly eventsDays: number
}

export const oldToolCallDeletion = periodicWorker<DeletionContext>({
  name: 'old calls of tools',
  does: 'deletes old calls of tools',
  everyMs: 600_000,
  async work({ db, now, eventsDays }, stopping) {
    const deleteBatch = () => deleteToolCallsBefore(db, now() - eventsDays * DAY_MICROS, BATCH_SIZE)
    while (!stopping.aborted && (await deleteBatch()) === BATCH_SIZE);
  },
})
