/** The statements over `relata.indexes`. */

import type { Database, Transaction } from '../../db/connect'
import { REQUIRED_REQUESTS } from './build-rule'
import type { IndexKind, IndexRequest } from './index-request'

/** The notification channel that wakes the index workers. */
export const INDEXES_CHANNEL = 'relata_indexes'

/** The requests of several queries for one index. */
export interface IndexRequests {
  readonly workspaceId: string
  readonly entityTypeId: string
  readonly indexRequest: IndexRequest
  readonly count: number
}

/** An index to build. */
export interface IndexBuildTask {
  readonly workspaceId: string
  readonly name: string
  readonly kind: IndexKind
  readonly definition: string
  readonly state: 'wanted' | 'building'
  readonly failures: number
  /** Quoted, as in `DataModel.schema`. */
  readonly schema: string
  /** Qualified and quoted, as in `EntityType.table`. */
  readonly table: string
}

/** Counts requests. Ignores those for attributes that have been deleted. */
export async function saveIndexRequests(db: Database, all: readonly IndexRequests[], now: string): Promise<void> {
  const rows = all.map(({ workspaceId, entityTypeId, indexRequest, count }) => ({
    workspace_id: workspaceId,
    entity_type_id: entityTypeId,
    attribute_id: indexRequest.attributeId,
    name: indexRequest.name,
    kind: indexRequest.kind,
    definition: indexRequest.definition,
    requests: count,
  }))
  await db.sql`
    with noted as (
      insert into relata.indexes as i
        (workspace_id, entity_type_id, attribute_id, name, kind, definition, requests, first_requested_at, last_requested_at)
      select w.workspace_id, w.entity_type_id, w.attribute_id, w.name, w.kind, w.definition, w.requests, ${now}, ${now}
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as w(workspace_id uuid, entity_type_id uuid,
        attribute_id uuid, name text, kind text, definition text, requests int)
      join relata.entity_types o on o.workspace_id = w.workspace_id and o.id = w.entity_type_id
      left join relata.attributes a on a.workspace_id = w.workspace_id and a.id = w.attribute_id
      where w.attribute_id is null or a.id is not null
      order by w.workspace_id, w.name
      on conflict (workspace_id, name) do update
        set requests = i.requests + excluded.requests, last_requested_at = excluded.last_requested_at
      returning state, requests
    )
    select pg_notify(${INDEXES_CHANNEL}, '') from (
      select from noted where state = 'wanted' and requests >= ${REQUIRED_REQUESTS} limit 1) ready`
}

/** Returns the next index to build: an interrupted one first, then the one with the most requests. */
export async function findNextTask(db: Database, now: string): Promise<IndexBuildTask | undefined> {
  const [task] = await db.sql<IndexBuildTask[]>`
    select i.workspace_id as "workspaceId", i.name, i.kind, i.definition, i.state, i.failures,
      format('"w_%s"', w.number) as schema,
      format('"w_%s"."%s_%s"', w.number, left(o.kind, 1), o.number) as table
    from relata.indexes i
    join relata.workspaces w on w.id = i.workspace_id
    join relata.entity_types o on o.workspace_id = i.workspace_id and o.id = i.entity_type_id
    where i.state in ('wanted', 'building') and (i.requests >= ${REQUIRED_REQUESTS} or i.is_pinned)
      and (i.retry_at is null or i.retry_at <= ${now})
    order by i.state = 'building' desc, i.is_pinned desc, i.requests desc, i.name limit 1`
  return task
}

export async function markBuilding(db: Database, { workspaceId, name }: IndexBuildTask): Promise<void> {
  await db.sql`
    update relata.indexes set state = 'building', error = null where workspace_id = ${workspaceId} and name = ${name}`
}

export async function markReady(
  tx: Transaction,
  { workspaceId, name }: IndexBuildTask,
  { now, buildMs }: { now: string; buildMs: number | null },
): Promise<void> {
  await tx`
    update relata.indexes set state = 'ready', built_at = ${now}, build_ms = coalesce(${buildMs}, build_ms), failures = 0,
      retry_at = null, error = null, scans = 0, last_used_at = null
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
