/** The queue of records whose interaction attributes are computed. See docs/decisions/contacts-and-interactions.md. */

import { sql } from 'kysely'
import { type Database, renderArray, type Sql, type Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'
import type { DataModel } from '#engine/data-model/model'
import { findContacts } from '#crm/mailboxes/linked-contacts'

/** A record as the queue names it. */
export interface QueuedRecord {
  readonly objectId: string
  readonly recordId: string
}

/** The attributes of a record are computed at most once in this time, so that there is one change event of each. */
const MIN_INTERVAL = '1 minute'
/** After this time another process takes over what a dead worker had claimed. */
const LEASE = '5 minutes'

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
  await sql`
    insert into relata.interaction_refreshes as q (workspace_id, record_id, object_id, due_at)
    select ${workspaceId}::uuid, r.id, r.object_id, ${timestampFromMicros(now)}::timestamptz
    from unnest(${recordIds}::uuid[], ${objectIds}::uuid[]) as r(id, object_id)
    on conflict (workspace_id, record_id) do update
    set due_at = least(q.due_at, greatest(excluded.due_at, q.refreshed_at + ${MIN_INTERVAL}::interval))`.execute(
    controlQueriesIn(db),
  )
}

/** The workspaces with records that are due. */
export async function findDueWorkspaces(db: Sql, now: Micros): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from relata.workspaces w where exists (
      select from relata.interaction_refreshes q
      where q.workspace_id = w.id and q.due_at <= ${timestampFromMicros(now)}::timestamptz)`.execute(
    controlQueriesIn(db),
  )
  return rows.map(({ id }) => id)
}

/** Takes due records from the queue, those first that are due longest. */
export async function claimRefreshes(
  db: Database,
  workspaceId: string,
  now: Micros,
  limit: number,
): Promise<QueuedRecord[]> {
  const at = timestampFromMicros(now)
  const { rows } = await sql<{ record_id: string; object_id: string }>`
    update relata.interaction_refreshes q
    set due_at = ${at}::timestamptz + ${LEASE}::interval, refreshed_at = ${at}::timestamptz, worker = ${db.pools.applicationName}
    from (
      select record_id from relata.interaction_refreshes
      where workspace_id = ${workspaceId} and due_at <= ${at}::timestamptz
      order by due_at limit ${limit} for update skip locked
    ) due
    where q.workspace_id = ${workspaceId} and q.record_id = due.record_id
    returning q.record_id, q.object_id`.execute(db.control)
  return rows.map(({ record_id, object_id }) => ({ recordId: record_id, objectId: object_id }))
}

/** When the attributes of a record that was claimed are computed next; undefined when time alone changes nothing. */
type NextRefreshes = ReadonlyMap<string, Micros | undefined>

/** Ends the lease of records claimed at `claimedAt`. A request that came in the meantime stays. */
export async function finishRefreshes(
  db: Sql,
  workspaceId: string,
  claimedAt: Micros,
  next: NextRefreshes,
): Promise<void> {
  const times = [...next.values()].map((at) => (at === undefined ? null : timestampFromMicros(at)))
  // The rows are locked in the order in which requests lock them.
  await sql`
    with locked as materialized (
      select record_id from relata.interaction_refreshes
      where workspace_id = ${workspaceId} and record_id = any(${renderArray([...next.keys()])}::uuid[])
      order by record_id for update
    )
    update relata.interaction_refreshes q
    set due_at = least(nullif(q.due_at, ${timestampFromMicros(claimedAt)}::timestamptz + ${LEASE}::interval), r.due_at), worker = null
    from unnest(${renderArray([...next.keys()])}::uuid[], ${renderArray(times)}::timestamptz[]) as r(id, due_at), locked
    where q.workspace_id = ${workspaceId} and q.record_id = r.id and locked.record_id = r.id`.execute(
    controlQueriesIn(db),
  )
}

/** Removes records that were deleted or merged. */
export async function dropRefreshes(db: Sql, workspaceId: string, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return
  await controlQueriesIn(db)
    .deleteFrom('relata.interaction_refreshes')
    .where('workspace_id', '=', workspaceId)
    .where('record_id', 'in', recordIds)
    .execute()
}

/** Requests that all interaction attributes of a workspace are computed. */
const BATCH_SIZE = 1_000

export async function requestAllRefreshes(db: Database, model: DataModel, now: Clock): Promise<void> {
  const workspaceId = model.workspace.id
  // Records whose addresses lost their emails and meetings.
  await db.control
    .updateTable('relata.interaction_refreshes')
    .set({ due_at: timestampFromMicros(now()) })
    .where('workspace_id', '=', workspaceId)
    .execute()
  for (const table of SOURCES) {
    let last = ''
    for (;;) {
      const addresses: string[] = await listAddresses(db, workspaceId, table, last)
      await requestRefreshesFor(db.sql, model, addresses, now())
      last = addresses.at(-1) ?? ''
      if (addresses.length < BATCH_SIZE) break
    }
  }
}

const SOURCES = ['relata.email_addresses', 'relata.meeting_participants'] as const

/** The addresses after `last`, in order. Each is found by its own step down the index, however many emails it has. */
async function listAddresses(db: Database, workspaceId: string, table: string, last: string): Promise<string[]> {
  const next = (after: ReturnType<typeof sql>) => sql`
    (select email_address from ${sql.raw(table)}
     where workspace_id = ${workspaceId} and email_address > ${after} order by email_address limit 1)`
  const { rows } = await sql<{ address: string | null }>`
    with recursive addresses(address) as (
      select ${next(sql`${last}`)} union all
      select ${next(sql`addresses.address`)} from addresses where addresses.address is not null
    )
    select address from addresses where address is not null limit ${BATCH_SIZE}`.execute(db.control)
  return rows.flatMap(({ address }) => (address === null ? [] : [address]))
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
