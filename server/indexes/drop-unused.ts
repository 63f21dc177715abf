/** Drops indexes that no query has used for a long time, because every write maintains them. Decision 0030. */

import { changeWorkspaceModel } from '../data-model/change-model'
import { timestampFromMicros } from '../timing/clock'
import { type IndexBuildContext, dropIndex } from './build-index'

/** Records, from PostgreSQL's scan counts, which indexes were used since the last call. */
export async function recordIndexUse({ db, now }: IndexBuildContext): Promise<void> {
  await db.sql`
    update relata.indexes i set scans = s.idx_scan, last_used_at = ${timestampFromMicros(now())}
    from relata.workspaces w, pg_stat_user_indexes s
    where w.id = i.workspace_id and s.schemaname = 'w_' || w.number and s.indexrelname = i.name
      and i.state = 'ready' and s.idx_scan <> i.scans`
}

/** Drops the indexes that were not used for `unusedDays` days, except pinned ones. Returns their names. */
export async function dropUnusedIndexes(building: IndexBuildContext, unusedDays: number): Promise<string[]> {
  const { db, sql, now } = building
  const since = timestampFromMicros(now() - unusedDays * 24 * 3600 * 1_000_000)
  const unused = await db.sql<{ workspaceId: string; schema: string; name: string }[]>`
    select i.workspace_id as "workspaceId", format('"w_%s"', w.number) as schema, i.name
    from relata.indexes i join relata.workspaces w on w.id = i.workspace_id
    where i.state = 'ready' and not i.is_pinned and coalesce(i.last_used_at, i.built_at) < ${since} order by i.name`
  for (const index of unused) {
    await dropIndex(sql, index)
    await changeWorkspaceModel(
      db,
      index.workspaceId,
      ({ tx }) => tx`delete from relata.indexes where workspace_id = ${index.workspaceId} and name = ${index.name}`,
    )
  }
  return unused.map(({ name }) => name)
}
