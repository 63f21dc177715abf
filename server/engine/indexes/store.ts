/** The statements over `relata.indexes`. */

import type { Database, Sql, Transaction } from '#db/connect'
import {
  CONSTANT_SHARE,
  type IndexKind,
  type IndexRequest,
  MAX_COMPOSITE_INDEXES,
  MAX_COVERING_INDEXES,
  REQUEST_WINDOW_HOURS,
  REQUIRED_COMPOSITE_REQUESTS,
  REQUIRED_COVERING_REQUESTS,
  REQUIRED_REQUESTS,
} from './index-request'

/** The notification channel that wakes the index workers. */
export const INDEXES_CHANNEL = 'relata_indexes'

/** The requests of several queries for one index. */
export interface IndexRequests {
  readonly workspaceId: string
  readonly entityTypeId: string
  readonly indexRequest: IndexRequest
  readonly count: number
  /** Descriptions of these queries. */
  readonly requestedBy: readonly string[]
}

/** An index names this many queries that requested it. */
export const MAX_REQUESTED_BY = 5

/** An index to build. */
export interface IndexBuildTask {
  readonly workspaceId: string
  readonly name: string
  readonly kind: IndexKind
  readonly definition: string
  readonly state: 'wanted' | 'building'
  readonly failures: number
  readonly isPinned: boolean
  /** As in `CompositeParts`; empty and null for other indexes. */
  readonly equalColumns: readonly string[]
  readonly partialOf: string | null
  /** Quoted, as in `DataModel.schema`. */
  readonly schema: string
  /** Qualified and quoted, as in `EntityType.table`. */
  readonly table: string
}

/** Whether it is an index over several columns. */
const isComposite = (sql: Sql | Transaction, alias: string) =>
  sql`${sql(alias)}.kind in ('composite', 'partial', 'covering')`

/** Whether an index has enough requests. */
const hasEnoughRequests = (sql: Sql, alias: string) => sql`
  ${sql(alias)}.requests >= case when ${sql(alias)}.kind = 'covering' then ${REQUIRED_COVERING_REQUESTS}::int
    when ${isComposite(sql, alias)} then ${REQUIRED_COMPOSITE_REQUESTS}::int else ${REQUIRED_REQUESTS}::int end`

/** Whether the count of requests starts again. Requests for an index over several columns count within a window. */
const isWindowOver = (sql: Sql, now: string) => sql`
  (${isComposite(sql, 'i')} and i.state = 'wanted' and i.built_at is null
    and i.first_requested_at < ${now}::timestamptz - make_interval(hours => ${REQUEST_WINDOW_HOURS}::int))`

/** Counts requests. Ignores those for attributes that have been deleted. */
export async function saveIndexRequests(db: Database, all: readonly IndexRequests[], now: string): Promise<void> {
  const { sql } = db
  await sql`
    with noted as (
      insert into relata.indexes as i
        (workspace_id, entity_type_id, attribute_id, attribute_ids, name, kind, definition, equal_columns, partial_of, requested_by,
          requests, first_requested_at, last_requested_at)
      select w.workspace_id, w.entity_type_id, w.attribute_id, w.attribute_ids, w.name, w.kind, w.definition,
        w.equal_columns, w.partial_of, w.requested_by, w.requests, ${now}, ${now}
      from json_to_recordset(${JSON.stringify(all.map(rowOf))}::text::json) as w(workspace_id uuid, entity_type_id uuid,
        attribute_id uuid, attribute_ids uuid[], name text, kind text, definition text, equal_columns text[], partial_of text,
        requested_by text[], requests int)
      join relata.entity_types o on o.workspace_id = w.workspace_id and o.id = w.entity_type_id
      where not exists (
        select from unnest(w.attribute_ids || w.attribute_id) as named(id)
        left join relata.attributes a on a.workspace_id = w.workspace_id and a.id = named.id
        where named.id is not null and a.id is null)
      order by w.workspace_id, w.name
      on conflict (workspace_id, name) do update set
        requests = excluded.requests + case when ${isWindowOver(sql, now)} then 0 else i.requests end,
        first_requested_at = case when ${isWindowOver(sql, now)} then excluded.first_requested_at else i.first_requested_at end,
        last_requested_at = excluded.last_requested_at,
        requested_by = i.requested_by || array(
          select query from unnest(excluded.requested_by) query where query <> all (i.requested_by)
          limit greatest(${MAX_REQUESTED_BY}::int - cardinality(i.requested_by), 0))
      returning i.*
    )
    select pg_notify(${INDEXES_CHANNEL}, '') from (
      select from noted where state = 'wanted' and ${hasEnoughRequests(sql, 'noted')} limit 1) ready`
}

const rowOf = ({ workspaceId, entityTypeId, indexRequest, count, requestedBy }: IndexRequests) => ({
  workspace_id: workspaceId,
  entity_type_id: entityTypeId,
  attribute_id: indexRequest.attributeId,
  attribute_ids: indexRequest.composite?.attributeIds ?? [],
  name: indexRequest.name,
  kind: indexRequest.kind,
  definition: indexRequest.definition,
  equal_columns: indexRequest.composite?.equalColumns ?? [],
  partial_of: indexRequest.composite?.partialOf ?? null,
  requested_by: requestedBy,
  requests: count,
})

/** Returns the next index to build: an interrupted one first, then the one with the most requests. */
export async function findNextTask({ sql }: Database, now: string): Promise<IndexBuildTask | undefined> {
  const [task] = await sql<IndexBuildTask[]>`
    select i.workspace_id as "workspaceId", i.name, i.kind, i.definition, i.state, i.failures,
      i.equal_columns as "equalColumns", i.partial_of as "partialOf", i.is_pinned as "isPinned",
      format('"w_%s"', w.number) as schema,
      format('"w_%s"."%s_%s"', w.number, left(o.kind, 1), o.number) as table
    from relata.indexes i
    join relata.workspaces w on w.id = i.workspace_id
    join relata.entity_types o on o.workspace_id = i.workspace_id and o.id = i.entity_type_id
    where i.state in ('wanted', 'building') and (${hasEnoughRequests(sql, 'i')} or i.is_pinned)
      and (i.retry_at is null or i.retry_at <= ${now})
      and (i.state = 'building' or i.is_pinned or not ${isComposite(sql, 'i')} or (${isBestComposite(sql)}))
    order by i.state = 'building' desc, i.is_pinned desc, i.requests desc, i.name limit 1`
  return task
}

/** Chooses between a composite index and its partial index by their requests. A table has a limited number of both, and of covering ones. */
const isBestComposite = (sql: Sql) => sql`
  (select count(*) from relata.indexes other where other.workspace_id = i.workspace_id
    and other.entity_type_id = i.entity_type_id and ${isComposite(sql, 'other')} and other.state in ('building', 'ready')
    and (other.kind = 'covering') = (i.kind = 'covering')
  ) < case i.kind when 'covering' then ${MAX_COVERING_INDEXES}::int else ${MAX_COMPOSITE_INDEXES}::int end
  and case i.kind
    when 'covering' then true
    when 'composite' then not exists (select from relata.indexes part where part.workspace_id = i.workspace_id
      and part.partial_of = i.name and part.state in ('wanted', 'building') and part.requests >= ${CONSTANT_SHARE}::float8 * i.requests)
    else not exists (select from relata.indexes whole where whole.workspace_id = i.workspace_id
      and whole.name = i.partial_of and (whole.state <> 'wanted' or i.requests < ${CONSTANT_SHARE}::float8 * whole.requests))
    end`

export async function markBuilding(db: Database, { workspaceId, name }: IndexBuildTask): Promise<void> {
  await db.sql`
    update relata.indexes set state = 'building', error = null where workspace_id = ${workspaceId} and name = ${name}`
}

export async function markReady(
  tx: Transaction,
  { workspaceId, name, partialOf }: IndexBuildTask,
  { now, buildMs }: { now: string; buildMs: number | null },
): Promise<void> {
  await tx`
    update relata.indexes set state = 'ready', built_at = ${now}, build_ms = coalesce(${buildMs}, build_ms), failures = 0,
      retry_at = null, error = null, scans = 0, last_used_at = null
    where workspace_id = ${workspaceId} and name = ${name}`
  // From now on, only queries with other constants request the composite index, and none requests a partial one beside it.
  await tx`update relata.indexes set requests = 0 where workspace_id = ${workspaceId} and name = ${partialOf} and state = 'wanted'`
  await tx`delete from relata.indexes where workspace_id = ${workspaceId} and partial_of = ${name} and state = 'wanted'`
}

/** Leaves the index wanted until `retryAt`. */
export async function postpone(
  db: Database,
  { workspaceId, name }: IndexBuildTask,
  { error, retryAt }: { error: string; retryAt: string },
): Promise<void> {
  await db.sql`
    update relata.indexes set state = 'wanted', error = ${error}, retry_at = ${retryAt}
    where workspace_id = ${workspaceId} and name = ${name}`
}

/** Records a failure. `retryAt` is null when there is no further attempt. */
export async function markFailed(
  db: Database,
  { workspaceId, name }: IndexBuildTask,
  { error, failures, retryAt }: { error: string; failures: number; retryAt: string | null },
): Promise<void> {
  await db.sql`
    update relata.indexes set state = ${retryAt === null ? 'failed' : 'wanted'}, error = ${error},
      failures = ${failures}, retry_at = ${retryAt}
    where workspace_id = ${workspaceId} and name = ${name}`
}
