import type { OrderByItemBuilder } from 'kysely'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { Scope } from '#vocabulary/scopes'
import { microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { itemText } from '#api/resources/records/activity/item-text'
import type { ActivityRead, ActivitySource, Item } from '#api/resources/records/activity/source'

const SCOPES: readonly Scope[] = ['task:read', 'user_management:read']

/** Tasks that were linked to the record and still are. */
export const tasksLinkedSource: ActivitySource = {
  type: 'task.linked',
  rank: 6,
  scopes: SCOPES,
  async read(read) {
    const rows = await linksOf(read, 'linked_at')
    return rows.map((row) => itemOf(read, 'task.linked', row, row.linked_at, row.linked_by))
  },
}

/** Tasks of the record that are completed. */
export const tasksCompletedSource: ActivitySource = {
  type: 'task.completed',
  rank: 7,
  scopes: SCOPES,
  async read(read) {
    const rows = await linksOf(read, 'completed_at')
    return rows.map((row) => itemOf(read, 'task.completed', row, row.completed_at ?? row.linked_at, row.completed_by))
  },
}

interface LinkRow {
  readonly task_id: string
  readonly content: string
}

/** A page of the record's links, newest first. A page by `completed_at` leaves out open tasks, whose time is null. */
const linksOf = ({ context, object, recordId, at, id, limit }: ActivityRead, time: 'linked_at' | 'completed_at') =>
  controlQueriesIn(context.db.sql)
    .with('page', (query) =>
      query
        .selectFrom('relata.task_links')
        .select(['workspace_id', 'task_id', 'linked_at', 'linked_by', 'completed_at'])
        .where('workspace_id', '=', context.model.workspace.id)
        .where('object_id', '=', object.id)
        .where('record_id', '=', recordId)
        .where(({ eb, refTuple, tuple }) => eb(refTuple(time, 'task_id'), '<', tuple(timestampFromMicros(at), id)))
        .orderBy(time, newestFirst(time))
        .orderBy('task_id', 'desc')
        .limit(limit),
    )
    .selectFrom('page')
    .innerJoin('relata.tasks as t', (join) =>
      join.onRef('t.workspace_id', '=', 'page.workspace_id').onRef('t.id', '=', 'page.task_id'),
    )
    .select(['page.task_id', 'page.linked_at', 'page.linked_by', 'page.completed_at', 't.completed_by', 't.content'])
    .orderBy(`page.${time}`, newestFirst(time))
    .orderBy('page.task_id', 'desc')
    .execute()

/** The reverse of each index's order of nulls, so that PostgreSQL reads the index backward. */
const newestFirst = (time: 'linked_at' | 'completed_at') => (order: OrderByItemBuilder) =>
  time === 'linked_at' ? order.desc() : order.desc().nullsLast()

function itemOf(
  { context }: ActivityRead,
  type: 'task.linked' | 'task.completed',
  { task_id, content }: LinkRow,
  time: string,
  actor: number | null,
): Item {
  const at = microsFromPostgres(time)
  const task = JSON.stringify({ task_id, content_plaintext: content })
  return { at, id: task_id, text: itemText(context.model, { type, at, actor }, { task }) }
}
