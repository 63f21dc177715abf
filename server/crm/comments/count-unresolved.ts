import type { Sql } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'

interface EntryCount {
  readonly entry_id: string
  readonly count: number
}

/** The numbers of comments in the unresolved threads of entries. Entries without any are left out. */
export async function countUnresolved(
  sql: Sql,
  { workspaceId, listId }: { readonly workspaceId: string; readonly listId: string },
  entryIds: readonly string[],
): Promise<EntryCount[]> {
  if (entryIds.length === 0) return []
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.threads as t')
    .innerJoin('relata.comments as c', (join) =>
      join.onRef('c.workspace_id', '=', 't.workspace_id').onRef('c.thread_id', '=', 't.id'),
    )
    .select(({ fn }) => ['t.entry_id', fn.countAll<string>().as('count')])
    .where('t.workspace_id', '=', workspaceId)
    .where('t.list_id', '=', listId)
    .where('t.entry_id', 'in', [...entryIds])
    .where('t.resolved_at', 'is', null)
    .groupBy('t.entry_id')
    .execute()
  return rows.flatMap(({ entry_id, count }) => (entry_id === null ? [] : [{ entry_id, count: Number(count) }]))
}
