/** Which records have interactions that a change of records affects. */

import { sql } from 'kysely'
import { renderArray, type Sql } from '#db/connect'
import { contactTypesOf } from '#crm/contacts/contact-types'
import { findObject } from '#engine/data-model/find'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import { findAddressesOf } from '#crm/mailboxes/linked-contacts'
import { readRecords } from '#engine/storage/statements/read-many-records'
import type { QueuedRecord } from './refresh-queue'

/** Adds the companies of people, whose interactions are those of their people. */
export async function withCompanies(
  db: Sql,
  model: DataModel,
  records: readonly QueuedRecord[],
): Promise<QueuedRecord[]> {
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
export async function withTouches(
  db: Sql,
  model: DataModel,
  records: readonly QueuedRecord[],
): Promise<QueuedRecord[]> {
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
