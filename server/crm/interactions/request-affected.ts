/**
 * Requests that the interaction attributes of people and companies are computed when their addresses, domains or company changed,
 * if there are emails or meetings of their addresses. See docs/decisions/contacts-and-interactions.md.
 */

import { sql } from 'kysely'
import { renderArray, type Sql } from '#db/connect'
import { contactTypesOf } from '#crm/contacts/contact-types'
import type { FeedReader, FollowedEvent } from '#crm/follow-feed'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import { type QueuedRecord, requestRefreshes } from './refresh-queue'
import { findObject } from '#engine/data-model/find'
import { findAddressesOf } from '#crm/mailboxes/linked-contacts'
import { readRecords } from '#engine/storage/statements/read-many-records'

export const requestAffected: FeedReader = async (tx, events, { db, now, model }) => {
  const affected = events.flatMap((event) => affectedBy(model, event))
  if (affected.length === 0) return
  const records = await withTouches(db.sql, model, await withCompanies(db.sql, model, affected))
  await requestRefreshes(tx, model.workspace.id, records, now())
}

/** The record of an event that may change its interactions. */
function affectedBy(model: DataModel, { event_type, id }: FollowedEvent): QueuedRecord[] {
  const { object_id, record_id } = id
  if (object_id === undefined || record_id === undefined || event_type === 'record.deleted') return []
  const types = contactTypesOf(model)
  if (object_id !== types?.people.id && object_id !== types?.companies.id) return []
  const attribute = id.attribute_id === undefined ? undefined : model.attributesById.get(id.attribute_id)
  if (event_type === 'record.updated' && !LINKING.has(attribute?.api_slug ?? '')) return []
  return [{ objectId: object_id, recordId: record_id }]
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
