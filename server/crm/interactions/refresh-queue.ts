/** The queue of records whose interaction attributes are computed. See docs/decisions/contacts-and-interactions.md. */

import { sql } from 'kysely'
import { renderArray, type Sql, type Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { renewed } from '#engine/queue'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { DataModel } from '#engine/data-model/model'
import { findContacts } from '#crm/mailboxes/linked-contacts'

/** A record as the queue names it. */
export interface QueuedRecord {
  readonly objectId: string
  readonly recordId: string
  /** The time of the oldest write behind the request. By default that of the request. */
  readonly since?: Micros | undefined
}

/** The attributes of a record are computed at most once in this time, so that there is one change event of each. */
const MIN_INTERVAL = '1 minute'

export const refreshQueue = {
  table: 'relata.interaction_refreshes',
  id: 'record_id',
  lease: 5 * 60_000_000,
  onTake: (at: string) => ({ refreshed_at: sql<never>`${at}::timestamptz` }),
} as const

/** Requests that the attributes of the records are computed. Repeated requests count once. */
export async function requestRefreshes(
  db: Sql | Transaction,
  workspaceId: string,
  records: readonly QueuedRecord[],
  now: Micros,
): Promise<void> {
  if (records.length === 0) return
  // Sorted, so that two writers of the same records wait for each other in the same order.
  const byId = [...new Map(records.map((record) => [record.recordId, record])).values()]
  const sorted = byId.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
  const recordIds = renderArray(sorted.map(({ recordId }) => recordId))
  const objectIds = renderArray(sorted.map(({ objectId }) => objectId))
  const times = renderArray(sorted.map(({ since = now }) => timestampFromMicros(since)))
  await sql`
    insert into relata.interaction_refreshes as q (workspace_id, record_id, object_id, due_at, requested_at)
    select ${workspaceId}::uuid, r.id, r.object_id, ${timestampFromMicros(now)}::timestamptz, r.since
    from unnest(${recordIds}::uuid[], ${objectIds}::uuid[], ${times}::timestamptz[]) as r(id, object_id, since)
    on conflict (workspace_id, record_id) do update
    set due_at = least(q.due_at, greatest(excluded.due_at, q.refreshed_at + ${MIN_INTERVAL}::interval)),
      requested_at = least(q.requested_at, excluded.requested_at)`.execute(controlQueriesIn(db))
}

/** Requests the attributes of all records that have or had interactions. */
export async function requestQueued(tx: Transaction, workspaceId: string, now: Micros): Promise<void> {
  await sql`
    with locked as materialized (
      select record_id from relata.interaction_refreshes where workspace_id = ${workspaceId} order by record_id for update
    )
    update relata.interaction_refreshes q
    set due_at = least(q.due_at, greatest(${timestampFromMicros(now)}::timestamptz, q.refreshed_at + ${MIN_INTERVAL}::interval))
    from locked where q.workspace_id = ${workspaceId} and q.record_id = locked.record_id`.execute(controlQueriesIn(tx))
}

/** The workspaces with records that are due. */
export async function findWorkspacesToRefresh(db: Sql, now: Micros): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from relata.workspaces w where exists (
      select from relata.interaction_refreshes q
      where q.workspace_id = w.id and q.due_at <= ${timestampFromMicros(now)}::timestamptz)`.execute(
    controlQueriesIn(db),
  )
  return rows.map(({ id }) => id)
}

/** By the record that was claimed. */
export type NextRefreshes = ReadonlyMap<string, NextRefresh>

export interface NextRefresh {
  /** When the attributes are computed next; undefined when time alone changes nothing. */
  readonly at: Micros | undefined
  /** Whether they are written. */
  readonly isDone: boolean
}

/** Ends the lease of records claimed at `claimedAt`. A request that came in the meantime stays. */
export async function finishRefreshes(
  db: Sql,
  workspaceId: string,
  claimedAt: Micros,
  next: NextRefreshes,
): Promise<void> {
  const times = [...next.values()].map(({ at }) => (at === undefined ? null : timestampFromMicros(at)))
  const done = [...next.values()].map(({ isDone }) => isDone)
  const leasedUntil = sql`${renewed(refreshQueue, claimedAt).due_at}::timestamptz`
  // The rows are locked in the order in which requests lock them.
  await sql`
    with locked as materialized (
      select record_id from relata.interaction_refreshes
      where workspace_id = ${workspaceId} and record_id = any(${renderArray([...next.keys()])}::uuid[])
      order by record_id for update
    )
    update relata.interaction_refreshes q
    set due_at = least(nullif(q.due_at, ${leasedUntil}), r.due_at),
      requested_at = case when r.is_done and q.due_at = ${leasedUntil} then null else q.requested_at end, attempts = 0, leased_by = null, worker = null
    from unnest(${renderArray([...next.keys()])}::uuid[], ${renderArray(times)}::timestamptz[], ${renderArray(done)}::boolean[])
      as r(id, due_at, is_done), locked
    where q.workspace_id = ${workspaceId} and q.record_id = r.id and locked.record_id = r.id`.execute(
    controlQueriesIn(db),
  )
}

/** Requests that the interaction attributes of the people and companies of these addresses are computed. */
export async function requestRefreshesFor(
  db: Sql | Transaction,
  model: DataModel,
  addresses: readonly string[],
  now: Micros,
): Promise<void> {
  const contacts = await findContacts(db, model, addresses)
  const records = [...contacts.values()].flat().map(({ object, id }) => ({ objectId: object.id, recordId: id }))
  await requestRefreshes(db, model.workspace.id, records, now)
}
