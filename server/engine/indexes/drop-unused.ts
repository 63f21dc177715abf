/** Drops indexes that no query has used for a long time, because every write maintains them. Decision 0030. */

import { hasCitus } from '#db/citus'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import { timestampFromMicros } from '#base/timing/clock'
import { type IndexBuildContext, dropIndex } from './build-index'
import { dropStatistics } from './correct-estimates'

/** Records, from PostgreSQL's scan counts, which indexes were used since the last call. */
export async function recordIndexUse({ db, now }: IndexBuildContext): Promise<void> {
  await db.sql`
    update relata.indexes i set scans = s.idx_scan, last_used_at = ${timestampFromMicros(now())}
    from relata.workspaces w, pg_stat_user_indexes s
    where w.id = i.workspace_id and s.schemaname = 'w_' || w.number and s.indexrelname = i.name
      and i.state = 'ready' and s.idx_scan <> i.scans`
}

/**
 * An index on one column is dropped earlier when indexes over several columns include its column: they serve most of the queries
 * that requested it. A report that runs each week keeps its index.
 */
const COVERED_UNUSED_DAYS = 8

/**
 * Drops the indexes that are not pinned and were not used for `unusedDays` days, or are covered. Returns their names. Drops none
 * on Citus, where the use of an index is counted on the node of its workspace, and not on the coordinator.
 */
export async function dropUnusedIndexes(building: IndexBuildContext, unusedDays: number): Promise<string[]> {
  const { db, sql, now } = building
  if (await hasCitus(sql)) return []
  const daysAgo = (days: number) => timestampFromMicros(now() - days * 24 * 3600 * 1_000_000)
  const unused = await db.sql<{ workspaceId: string; schema: string; name: string }[]>`
    select i.workspace_id as "workspaceId", format('"w_%s"', w.number) as schema, i.name
    from relata.indexes i join relata.workspaces w on w.id = i.workspace_id
    where i.state = 'ready' and not i.is_pinned and (
      coalesce(i.last_used_at, i.built_at) < ${daysAgo(unusedDays)}
      or i.kind in ('ordered', 'descending', 'exact') and coalesce(i.last_used_at, i.built_at) < ${daysAgo(COVERED_UNUSED_DAYS)}
        and exists (
        select from relata.indexes other where other.workspace_id = i.workspace_id and other.state = 'ready'
          and other.built_at < ${daysAgo(COVERED_UNUSED_DAYS)} and i.attribute_id = any(other.attribute_ids))
      or exists (select from relata.indexes whole where whole.workspace_id = i.workspace_id
        and whole.name = i.partial_of and whole.state = 'ready'))
    order by i.name`
  for (const index of unused) {
    await dropIndex(sql, index)
    await dropStatistics(sql, index)
    await changeWorkspaceModel(
      db,
      index.workspaceId,
      ({ tx }) => tx`delete from relata.indexes where workspace_id = ${index.workspaceId} and name = ${index.name}`,
    )
  }
  return unused.map(({ name }) => name)
}

/** Forgets indexes that queries requested too rarely, and no longer request. */
export async function deleteOldRequests({ db, sql, now }: IndexBuildContext, unusedDays: number): Promise<void> {
  const before = timestampFromMicros(now() - unusedDays * 24 * 3600 * 1_000_000)
  const deleted = await db.sql<{ schema: string; name: string; isChecked: boolean }[]>`
    delete from relata.indexes i using relata.workspaces w
    where w.id = i.workspace_id and i.state = 'wanted' and not i.is_pinned and i.built_at is null
      and i.last_requested_at < ${before}
    returning format('"w_%s"', w.number) as schema, i.name, i.estimate_checked_at is not null as "isChecked"`
  for (const index of deleted) if (index.isChecked) await dropStatistics(sql, index)
}
