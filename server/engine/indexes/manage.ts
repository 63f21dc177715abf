/** What operators do with the indexes of a workspace: list, pin, refuse and rebuild them. */

import type { Database, Transaction } from '#db/connect'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { dropIndex } from './build-index'
import { dropStatistics } from './correct-estimates'
import { INDEXES_CHANNEL } from './store'
import type { IndexKind, IndexRequest } from './index-request'

export interface ListedIndex {
  readonly name: string
  /** The slug of the entity type. */
  readonly entityType: string
  /** The slugs of the attributes. */
  readonly attributes: readonly string[]
  readonly kind: IndexKind
  readonly state: 'wanted' | 'building' | 'ready' | 'failed' | 'refused'
  readonly is_pinned: boolean
  readonly size: string | null
  readonly scans: number | null
  readonly requests: number
  /** Some of the queries that requested it, without their operands. */
  readonly requested_by: readonly string[]
  readonly last_used_at: string | null
  readonly build_ms: number | null
  readonly error: string | null
}

/** Lists the indexes in the order of their tables, with their current sizes and scan counts. */
export const listIndexes = async (db: Database, workspaceId: string): Promise<readonly ListedIndex[]> =>
  db.sql<ListedIndex[]>`
    select i.name, o.api_slug as "entityType", i.kind, i.state, i.is_pinned,
      array(select a.api_slug from relata.attributes a where a.workspace_id = i.workspace_id
        and (a.id = i.attribute_id or a.id = any(i.attribute_ids)) order by a.number) as attributes,
      pg_size_pretty(pg_relation_size(s.indexrelid)) as size, s.idx_scan::float8 as scans, i.requests, i.requested_by,
      i.last_used_at, i.build_ms, i.error
    from relata.indexes i
    join relata.workspaces w on w.id = i.workspace_id
    join relata.entity_types o on o.workspace_id = i.workspace_id and o.id = i.entity_type_id
    left join pg_stat_user_indexes s on s.schemaname = 'w_' || w.number and s.indexrelname = i.name
    where i.workspace_id = ${workspaceId} order by o.number, attributes, i.name`

/** Requests an index that is never dropped as unused. */
export async function pinIndex(
  db: Database,
  model: DataModel,
  entityType: EntityType,
  index: IndexRequest,
): Promise<void> {
  const { name, kind, definition, attributeId } = index
  await db.sql`
    insert into relata.indexes as i (workspace_id, entity_type_id, attribute_id, name, kind, definition, is_pinned,
      first_requested_at, last_requested_at)
    values (${model.workspace.id}, ${entityType.id}, ${attributeId}, ${name}, ${kind}, ${definition}, true, now(), now())
    on conflict (workspace_id, name) do update set is_pinned = true, failures = 0, retry_at = null, error = null,
      state = case when i.state in ('building', 'ready') then i.state else 'wanted' end`
  await db.sql.notify(INDEXES_CHANNEL, '')
}

/** Called in the transaction of a change, once it is certain that the index exists. */
export type IndexChanged = (tx: Transaction) => Promise<unknown>

const unrecorded: IndexChanged = () => Promise.resolve()

/** Requests an index that the list names, so that it is never dropped as unused. Returns whether it existed. */
export async function keepIndex(
  db: Database,
  { workspace }: DataModel,
  name: string,
  changed: IndexChanged = unrecorded,
): Promise<boolean> {
  const isFound = await db.sql.begin(async (tx) => {
    const kept = await tx`
      update relata.indexes i set is_pinned = true, failures = 0, retry_at = null, error = null,
        state = case when i.state in ('building', 'ready') then i.state else 'wanted' end
      where workspace_id = ${workspace.id} and name = ${name} returning 1`
    if (kept.length > 0) await changed(tx)
    return kept.length > 0
  })
  await db.sql.notify(INDEXES_CHANNEL, '')
  return isFound
}

/** Drops an index, which queries then cannot request again. Returns whether it existed. */
export const refuseIndex = (
  db: Database,
  model: DataModel,
  name: string,
  changed: IndexChanged = unrecorded,
): Promise<boolean> => dropWithState(db, model, { name, state: 'refused' }, changed)

/** Drops an index and requests it again. Returns whether it existed. */
export async function rebuildIndex(
  db: Database,
  model: DataModel,
  name: string,
  changed: IndexChanged = unrecorded,
): Promise<boolean> {
  const isFound = await dropWithState(db, model, { name, state: 'wanted' }, changed)
  await db.sql.notify(INDEXES_CHANNEL, '')
  return isFound
}

async function dropWithState(
  db: Database,
  { workspace, schema }: DataModel,
  { name, state }: { readonly name: string; readonly state: 'refused' | 'wanted' },
  changed: IndexChanged,
): Promise<boolean> {
  const [found] = await db.sql`
    select from relata.indexes where workspace_id = ${workspace.id} and name = ${name}`
  if (!found) return false
  await dropIndex(db.sql, { schema, name })
  if (state === 'refused') await dropStatistics(db.sql, { schema, name })
  await changeWorkspaceModel(db, workspace.id, async ({ tx }) => {
    await tx`
      update relata.indexes set state = ${state}, is_pinned = is_pinned and ${state === 'wanted'}, failures = 0,
        retry_at = null, error = null
      where workspace_id = ${workspace.id} and name = ${name}`
    await changed(tx)
  })
  return true
}
