/**
 * Follows the feed of a workspace for people and companies whose addresses, domains or company changed, and requests that their
 * interaction attributes are computed if there are emails or meetings of their addresses. So writes of records need not name
 * of interactions. See docs/decisions/contacts-and-interactions.md.
 */

import { sql } from 'kysely'
import { type Database, renderArray, type Sql } from '#db/connect'
import { contactTypesOf } from '#crm/contacts/contact-types'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { loadDataModel } from '#engine/data-model/load'
import type { DataModel } from '#engine/data-model/model'
import { type Clock, timestampFromMicros } from '#base/timing/clock'
import { type QueuedRecord, requestRefreshes } from './refresh-queue'
import { findObject } from '#engine/data-model/find'
import { findAddressesOf } from '#crm/mailboxes/linked-contacts'
import { readRecords } from '#engine/storage/statements/read-many-records'

export interface FeedOptions {
  readonly db: Database
  readonly now: Clock
}

const BATCH_SIZE = 1_000

interface EventRow {
  readonly position: string
  readonly recorded_at: string
  readonly event_type: string
  readonly body: string
}

/** Reads what is new in the feeds of all workspaces, until everything is read or the signal aborts. */
export async function followFeeds(options: FeedOptions, signal?: AbortSignal): Promise<void> {
  await beginFeeds(options)
  for (const workspaceId of await findFeedsWithEvents(options.db)) {
    const model = await loadDataModel(options.db, workspaceId)
    for (;;) {
      if (signal?.aborted === true) return
      if ((await followBatch(options, model)) < BATCH_SIZE) break
    }
  }
}

/** The feed of a new workspace begins at its end. */
async function beginFeeds({ db, now }: FeedOptions): Promise<void> {
  await sql`
    insert into relata.interaction_feeds (workspace_id, position, recorded_at)
    select w.id, coalesce((select max(e.position) from relata.events e where e.workspace_id = w.id), 0),
      ${timestampFromMicros(now())}::timestamptz
    from relata.workspaces w
    where not exists (select from relata.interaction_feeds f where f.workspace_id = w.id)
    on conflict do nothing`.execute(controlQueriesIn(db.sql))
}

/** The clocks of publishers differ by less than this, so partitions before it are skipped. */
const MAX_CLOCK_SKEW = '1 day'

async function findFeedsWithEvents(db: Database): Promise<string[]> {
  const { rows } = await sql<{ workspace_id: string }>`
    select f.workspace_id from relata.interaction_feeds f where exists (
      select from relata.events e where e.workspace_id = f.workspace_id and e.position > f.position
        and e.recorded_at >= f.recorded_at - ${MAX_CLOCK_SKEW}::interval)`.execute(controlQueriesIn(db.sql))
  return rows.map(({ workspace_id }) => workspace_id)
}

/** Returns the number of events that were read. The row of the feed is locked, so that one process reads a batch. */
async function followBatch({ db, now }: FeedOptions, model: DataModel): Promise<number> {
  const workspaceId = model.workspace.id
  const count = await db.sql.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    const feed = await control
      .selectFrom('relata.interaction_feeds')
      .select(['position', 'recorded_at'])
      .where('workspace_id', '=', workspaceId)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (feed === undefined) return 0
    // The position is a parameter: from a join, PostgreSQL would read all later events, and sort them for the first ones.
    const events: EventRow[] = await control
      .selectFrom('relata.events')
      .select(['position', 'recorded_at', 'event_type', 'body'])
      .where('workspace_id', '=', workspaceId)
      .where('position', '>', feed.position)
      .where('recorded_at', '>=', sql<string>`${feed.recorded_at}::timestamptz - ${MAX_CLOCK_SKEW}::interval`)
      .orderBy('position')
      .limit(BATCH_SIZE)
      .execute()
    const last = events.at(-1)
    if (last === undefined) return 0
    const affected = events.flatMap((event) => affectedBy(model, event))
    const records = await withTouches(db.sql, model, await withCompanies(db.sql, model, affected))
    await requestRefreshes(tx, workspaceId, records, now())
    await control
      .updateTable('relata.interaction_feeds')
      .set({ position: last.position, recorded_at: last.recorded_at })
      .where('workspace_id', '=', workspaceId)
      .execute()
    return events.length
  })
  return Number(count)
}

/** The record of an event that may change its interactions. */
function affectedBy(model: DataModel, { event_type, body }: EventRow): QueuedRecord[] {
  if (!event_type.startsWith('record.') || event_type === 'record.deleted') return []
  const { id } = JSON.parse(body) as { id: { object_id: string; record_id: string; attribute_id?: string } } // of every event of a record
  const types = contactTypesOf(model)
  if (id.object_id !== types?.people.id && id.object_id !== types?.companies.id) return []
  const attribute = id.attribute_id === undefined ? undefined : model.attributesById.get(id.attribute_id)
  if (event_type === 'record.updated' && !LINKING.has(attribute?.api_slug ?? '')) return []
  return [{ objectId: id.object_id, recordId: id.record_id }]
}

/** The attributes of people and companies that decide which emails and meetings are theirs. */
const LINKING: ReadonlySet<string> = new Set(['email_addresses', 'company', 'team', 'domains'])

// Which records have interactions that a change of records affects.

/** Adds the companies of people, whose interactions are those of their people. */
async function withCompanies(db: Sql, model: DataModel, records: readonly QueuedRecord[]): Promise<QueuedRecord[]> {
  const types = contactTypesOf(model)
  if (types === undefined) return [...records]
  const { people, company, companies } = types
  const ids = records.filter(({ objectId }) => objectId === people.id).map(({ recordId }) => recordId)
  const persons = await readRecords(db, model, people, [company], [...new Set(ids)])
  const found = [...persons.values()].flatMap((person) => person.valuesOf(company))
  return [
    ...records,
    ...found.map(({ stored }) => ({ objectId: companies.id, recordId: String(stored.target_record_id) })),
  ]
}

/** The records with emails or meetings of their addresses, and those that had some. */
async function withTouches(db: Sql, model: DataModel, records: readonly QueuedRecord[]): Promise<QueuedRecord[]> {
  const affected: QueuedRecord[] = []
  for (const [objectId, own] of Map.groupBy(records, (record) => record.objectId)) {
    const object = findObject(model, objectId)
    if (object === undefined) continue
    const ids = [...new Set(own.map(({ recordId }) => recordId))]
    const keys = await findAddressesOf(db, model, object, ids)
    const all = [...keys.values()].flatMap(({ addresses, domains }) => [...addresses, ...domains])
    const [used, queued] = [await findUsedKeys(db, model, all), await findQueued(db, model, ids)]
    const hasTouches = (id: string) => {
      const { addresses = [], domains = [] } = keys.get(id) ?? {}
      return [...addresses, ...domains].some((key) => used.has(key))
    }
    affected.push(...ids.filter((id) => queued.has(id) || hasTouches(id)).map((recordId) => ({ objectId, recordId })))
  }
  return affected
}

/** Those of the addresses and domains that have emails or meetings. */
async function findUsedKeys(db: Sql, { workspace }: DataModel, keys: readonly string[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set()
  const { rows } = await sql<{ key: string }>`
    select k.key from unnest(${renderArray([...new Set(keys)])}::text[]) as k(key)
    where exists (select from relata.email_addresses where workspace_id = ${workspace.id} and email_address = k.key)
      or exists (select from relata.email_domains where workspace_id = ${workspace.id} and email_domain = k.key)
      or exists (select from relata.meeting_participants where workspace_id = ${workspace.id} and email_address = k.key)`.execute(
    controlQueriesIn(db),
  )
  return new Set(rows.map(({ key }) => key))
}

async function findQueued(db: Sql, { workspace }: DataModel, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await controlQueriesIn(db)
    .selectFrom('relata.interaction_refreshes')
    .select('record_id')
    .where('workspace_id', '=', workspace.id)
    .where(sql<boolean>`record_id = any(${renderArray(ids)}::uuid[])`)
    .execute()
  return new Set(rows.map(({ record_id }) => record_id))
}
