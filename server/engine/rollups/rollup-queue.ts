/** The queue of look-ups and rollups. See docs/decisions/rollups.md. */

import { sql } from 'kysely'
import { renderArray, type Sql, type Transaction } from '#db/connect'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { Queue, Taken } from '#engine/queue'
import { NO_ENTITY } from '#engine/storage/statements/rollup-statements'

export const rollupQueue = {
  table: 'relata.rollup_refreshes',
  id: 'id',
  lease: 60_000_000,
} as const satisfies Queue<'relata.rollup_refreshes'>

export type DueRefresh = Taken<'relata.rollup_refreshes'>

/** Why values are computed. */
export interface Cause {
  /** The time of the oldest write behind it. By default that of the request. */
  readonly since?: Micros | undefined
  /** Whether a record was deleted for good, so that no history may keep what came from it. */
  readonly isErasure?: boolean | undefined
}

/** Work of the queue. */
export interface Request extends Cause {
  /** The entity type with the values. */
  readonly entityTypeId: string
  /** Null: all look-ups and rollups of the entity. */
  readonly attributeId: string | null
  /** With an attribute: of the entities that refer to this one. Null: of all. */
  readonly entityId: string | null
}

/** The workspaces with work that is due. */
export async function findDueWorkspaces(on: Sql, now: Micros): Promise<string[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.rollup_refreshes')
    .select('workspace_id')
    .distinct()
    .where('due_at', '<=', timestampFromMicros(now))
    .execute()
  return rows.map(({ workspace_id }) => workspace_id)
}

/** Repeated requests count once. One that comes while its work is done begins it again. */
export async function insertRequests(
  tx: Sql | Transaction,
  workspaceId: string,
  requests: readonly Request[],
  now: Micros,
): Promise<void> {
  if (requests.length === 0) return
  const columns = [
    renderArray(requests.map(({ entityTypeId }) => entityTypeId)),
    renderArray(requests.map(({ attributeId }) => attributeId)),
    renderArray(requests.map(({ entityId }) => entityId)),
    renderArray(requests.map(({ since = now }) => timestampFromMicros(since))),
    renderArray(requests.map(({ isErasure = false }) => isErasure)),
  ] as const
  // Sorted, so that two writers of the same rows wait for each other in the same order.
  await sql`
    insert into relata.rollup_refreshes as q
      (workspace_id, id, entity_type_id, attribute_id, entity_id, after, due_at, requested_at, is_erasure)
    select distinct on (id) ${workspaceId}::uuid, coalesce(
        case when r.attribute_id is null then r.entity_id when r.entity_id is null then r.attribute_id end,
        md5(r.attribute_id::text || r.entity_id::text)::uuid) as id,
      r.entity_type_id, r.attribute_id, r.entity_id,
      case when r.attribute_id is not null then ${NO_ENTITY}::uuid end, ${timestampFromMicros(now)}::timestamptz,
      r.requested_at, r.is_erasure
    from unnest(${columns[0]}::uuid[], ${columns[1]}::uuid[], ${columns[2]}::uuid[], ${columns[3]}::timestamptz[], ${columns[4]}::boolean[])
      as r(entity_type_id, attribute_id, entity_id, requested_at, is_erasure)
    order by id, r.is_erasure desc
    on conflict (workspace_id, id) do update
    set due_at = least(q.due_at, excluded.due_at), after = excluded.after, requested_at = least(q.requested_at, excluded.requested_at),
      is_erasure = q.is_erasure or excluded.is_erasure, computed_count = 0, total_count = null`.execute(
    controlQueriesIn(tx),
  )
}

/** The rows as they were taken. A request that came in the meantime has changed `due_at`, so its row stays. */
const unchangedRows = (rows: readonly DueRefresh[]) => sql<boolean>`
  (q.id, q.due_at, q.leased_by) in (
    select id, due_at, leased_by from unnest(
      ${renderArray(rows.map(({ id }) => id))}::uuid[], ${renderArray(rows.map(({ due_at }) => due_at))}::timestamptz[],
      ${renderArray(rows.map(({ leased_by }) => leased_by))}::uuid[]) as r(id, due_at, leased_by))`

/** Deletes work that is done. The rows are locked in the order in which requests lock them. */
export async function deleteDone(on: Sql | Transaction, rows: readonly DueRefresh[]): Promise<void> {
  const workspaceId = rows[0]?.workspace_id
  if (workspaceId === undefined) return
  await sql`
    with locked as materialized (
      select id from relata.rollup_refreshes q where q.workspace_id = ${workspaceId} and ${unchangedRows(rows)}
      order by id for update)
    delete from relata.rollup_refreshes q using locked where q.workspace_id = ${workspaceId} and q.id = locked.id`.execute(
    controlQueriesIn(on),
  )
}

/** Stores how many entities there are when their computation begins. */
export async function storeTotal(on: Sql, row: DueRefresh, total: string): Promise<void> {
  await sql`
    update relata.rollup_refreshes q set total_count = ${total}::bigint
    where q.workspace_id = ${row.workspace_id} and ${unchangedRows([row])}`.execute(controlQueriesIn(on))
}

/** Has the next page of work that was done together computed, behind other work that is due. */
export async function continueBehind(
  on: Sql,
  rows: readonly DueRefresh[],
  { after, computed }: { readonly after: string; readonly computed: number },
  now: Micros,
): Promise<void> {
  await sql`
    update relata.rollup_refreshes q
    set after = ${after}::uuid, computed_count = q.computed_count + ${computed}, due_at = ${timestampFromMicros(now)}::timestamptz, attempts = 0, leased_by = null, worker = null
    where q.workspace_id = ${rows[0]?.workspace_id}::uuid and ${unchangedRows(rows)}`.execute(controlQueriesIn(on))
}
