/** The tasks of a member that are due today, computed when the inbox is read. See docs/reference/inbox.md (Tasks due today). */

import type { Sql } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { timestampFromMicros } from '#base/timing/clock'
import type { DayRange } from '#base/timing/local-day'

export interface DueTask {
  readonly id: string
  readonly content: string
  readonly deadline_at: string
  readonly deadline_ns: number | null
}

export interface Assignee {
  readonly workspaceId: string
  /** The number of the member's actor. */
  readonly actor: number
}

/** Open tasks, by deadline. */
export async function listTasksDueOn(
  on: Sql,
  { workspaceId, actor }: Assignee,
  { from, until }: DayRange,
  limit: number,
): Promise<DueTask[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.task_assignees as a')
    .innerJoin('relata.tasks as k', (join) =>
      join.onRef('k.workspace_id', '=', 'a.workspace_id').onRef('k.id', '=', 'a.task_id'),
    )
    .select(['k.id', 'k.content', 'a.deadline_at', 'k.deadline_ns'])
    .where(equal({ 'a.workspace_id': workspaceId, 'a.assignee': actor, 'a.is_completed': false }))
    .where('a.deadline_at', '>=', timestampFromMicros(from))
    .where('a.deadline_at', '<', timestampFromMicros(until))
    .orderBy('a.deadline_at')
    .orderBy('a.created_at')
    .orderBy('a.task_id')
    .limit(limit)
    .$narrowType<{ deadline_at: string }>()
    .execute()
  return rows
}
