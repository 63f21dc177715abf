/**
 * Requests that the interaction attributes of people and companies are computed: when their addresses, domains or company changed, if
 * they have interactions; and when the records of activities that refer to them changed.
 * See docs/decisions/contacts-and-interactions.md.
 */
import { sql } from 'kysely'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'
import { contactTypesOf } from '#crm/contacts/contact-types'
import type { FeedReader, FollowedEvent } from '#crm/follow-feed'
import { findAddressesOf } from '#crm/mailboxes/linked-contacts'
import { type Database, renderArray, type Sql, type Transaction } from '#db/connect'
import { entityTypeOf, findActivity, findObject, otherSideOf } from '#engine/data-model/find'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { loadDataModel } from '#engine/data-model/load'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { readIds } from '#engine/storage/statements/entity-type-statements'
import { findWithInteractions, type InteractionActivity } from '#engine/storage/statements/interaction-statements'
import { findContactsOf, interactionActivities, withCompanies } from './interaction-activities'
import { type QueuedRecord, requestQueued, requestRefreshes, requestRefreshesFor } from './refresh-queue'

export const requestAffected: FeedReader = async (tx, events, { db, now, model }) => {
  if (events.some(({ event_type }) => MODEL_EVENTS.has(event_type))) await requestQueued(tx, model.workspace.id, now())
  const affected = events.flatMap((event) => affectedBy(model, event))
  const withNewest = await withActivities(db, model, events)
  for (const activity of createdActivities(withNewest, events)) await requestOfActivity(tx, withNewest, activity, now())
  const referred = await findReferred(db, withNewest, events)
  if (affected.length + referred.length === 0) return
  const touched = await withTouches(db.sql, model, await withCompanies(db.sql, model, affected))
  const since = events.reduce((oldest, { at }) => Math.min(oldest, at), now())
  const records = [...referred, ...touched].map((record) => ({ ...record, since }))
  await requestRefreshes(tx, model.workspace.id, records, now())
}

/** After these, records of an activity may count that did not, or the reverse. */
const MODEL_EVENTS: ReadonlySet<string> = new Set(['activity.deleted', 'activity-attribute.updated'])

/** The activities that were created or restored. Only a restored one has records yet, or one that got some since. */
function createdActivities(model: DataModel, events: readonly FollowedEvent[]): InteractionActivity[] {
  const created = events.filter(({ event_type }) => event_type === 'activity.created')
  const ids = new Set(created.map(({ id }) => id.activity_id))
  return interactionActivities(model).filter(({ activity }) => ids.has(activity.id))
}

/** The record of an event that may change its interactions. */
function affectedBy(model: DataModel, { event_type, id }: FollowedEvent): QueuedRecord[] {
  const { object_id, record_id } = id
  if (object_id === undefined || record_id === undefined || event_type === 'record.deleted') return []
  const types = contactTypesOf(model)
  if (object_id !== types?.people.id && object_id !== types?.companies.id) return []
  const attribute = id.attribute_id === undefined ? undefined : model.attributesById.get(id.attribute_id)
  if (event_type === 'record.updated' && !LINKING.has(attribute?.api_slug ?? '') && !isOfActivity(model, attribute))
    return []
  return [{ objectId: object_id, recordId: record_id }]
}

/** The attributes of people and companies that decide which interactions are theirs. */
const LINKING: ReadonlySet<string> = new Set(['email_addresses', 'company', 'team', 'domains'])

/** Whether it is the other side of a reference of an activity. */
function isOfActivity(model: DataModel, attribute: Attribute | undefined): boolean {
  const otherSide = attribute && otherSideOf(model, attribute)
  return otherSide !== undefined && entityTypeOf(model, otherSide).kind === 'activity'
}

// The records to which changed records of activities refer or referred.

/** The model, or a newer one if an event names an activity that the model lacks or hides. */
async function withActivities(db: Database, model: DataModel, events: readonly FollowedEvent[]): Promise<DataModel> {
  const isMissing = ({ id }: FollowedEvent) =>
    id.activity_id !== undefined && findActivity(model, id.activity_id) === undefined
  return events.some(isMissing) ? loadDataModel(db, model.workspace.id) : model
}

async function findReferred(db: Database, model: DataModel, events: readonly FollowedEvent[]): Promise<QueuedRecord[]> {
  const byActivity = Map.groupBy(events, ({ id }) => id.activity_id)
  const found: QueuedRecord[] = []
  for (const interaction of interactionActivities(model)) {
    const ids = (byActivity.get(interaction.activity.id) ?? []).flatMap(({ id }) => id.record_id ?? [])
    found.push(...(await findContactsOf(db.sql, model, interaction, [...new Set(ids)])))
  }
  return found
}

// Which records have interactions that a change of records affects.

/** The records that have interactions, and those that had some. */
async function withTouches(db: Sql, model: DataModel, records: readonly QueuedRecord[]): Promise<QueuedRecord[]> {
  const affected: QueuedRecord[] = []
  for (const [objectId, own] of Map.groupBy(records, (record) => record.objectId)) {
    const object = findObject(model, objectId)
    if (object === undefined) continue
    const ids = [...new Set(own.map(({ recordId }) => recordId))]
    const keys = await findAddressesOf(db, model, object, ids)
    const all = [...keys.values()].flatMap(({ addresses, domains }) => [...addresses, ...domains])
    const people = [...keys.values()].flatMap(({ peopleIds }) => peopleIds)
    const [used, queued] = [await findUsedKeys(db, model, all), await findQueued(db, model, ids)]
    const inActivities = await findReferredTo(db, model, object, [...ids, ...people])
    const hasTouches = (id: string) => {
      const { addresses = [], domains = [], peopleIds = [] } = keys.get(id) ?? {}
      return (
        [...addresses, ...domains].some((key) => used.has(key)) ||
        [id, ...peopleIds].some((key) => inActivities.has(key))
      )
    }
    affected.push(...ids.filter((id) => queued.has(id) || hasTouches(id)).map((recordId) => ({ objectId, recordId })))
  }
  return affected
}

/** Those of the people and of the records of the object to which records of activities refer. */
async function findReferredTo(
  db: Sql,
  model: DataModel,
  object: ObjectType,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const activities = interactionActivities(model)
  const people = contactTypesOf(model)?.people ?? object
  const objects = [...new Set([object, people])]
  const found = await Promise.all(
    objects.map((each) => findWithInteractions(db, model, { activities, object: each, ids })),
  )
  return new Set(found.flat())
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

const BATCH_SIZE = 1_000

/** Requests that all interaction attributes of a workspace are computed. */
export async function requestAllRefreshes(db: Database, model: DataModel, now: Clock): Promise<void> {
  const workspaceId = model.workspace.id
  // Records whose addresses lost their emails and meetings.
  await db.control
    .updateTable('relata.interaction_refreshes')
    .set({ due_at: timestampFromMicros(now()) })
    .where('workspace_id', '=', workspaceId)
    .execute()
  for (const interaction of interactionActivities(model)) await requestOfActivity(db.sql, model, interaction, now())
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

/**
 * Requests the attributes of all people and companies to which records of the activity refer. Its row in the queue stands for the
 * records after its `record_id`, or for all if that is the id of the activity: the worker continues with a row for the next ones.
 */
const requestOfActivity = (
  db: Sql | Transaction,
  model: DataModel,
  { activity: { id } }: InteractionActivity,
  now: Micros,
): Promise<void> => requestRefreshes(db, model.workspace.id, [{ objectId: id, recordId: id }], now)

/** Before the first id. */
const NO_RECORD = '00000000-0000-0000-0000-000000000000'

/** Requests what a row of an activity stands for, and the row for the records behind the next thousand. */
export async function requestNextOfActivity(
  db: Sql,
  model: DataModel,
  interaction: InteractionActivity,
  { objectId, recordId, since }: QueuedRecord,
  now: Micros,
): Promise<void> {
  const after = recordId === objectId ? NO_RECORD : recordId
  const ids = await readIds(db, model, interaction.activity, { after, limit: BATCH_SIZE })
  const next = ids.length < BATCH_SIZE ? [] : ids.slice(-1).map((id) => ({ objectId, recordId: id }))
  const contacts = await findContactsOf(db, model, interaction, ids)
  const records = [...contacts, ...next].map((record) => ({ ...record, since }))
  await requestRefreshes(db, model.workspace.id, records, now)
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
