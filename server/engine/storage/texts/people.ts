/** Finds the records of people by an email address, and the names that they have or had. */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import { columnName } from '#engine/attribute-types/definition/columns'
import { findAttribute } from '#engine/data-model/find'
import type { Attribute, DataModel, ListType, ObjectType } from '#engine/data-model/model'
import { layoutOf, type Row } from '#engine/storage/layout'
import { rowsOf } from '#engine/storage/statement'

export interface FoundPerson {
  readonly id: string
  readonly isTrashed: boolean
}

/** The object of people with its attributes, also when it is disabled. */
export interface PeopleObject {
  readonly object: ObjectType
  readonly addresses: Attribute
  readonly name: Attribute
}

/** Undefined in a workspace without the object or one of its attributes. */
export function findPeopleObject({ entityTypes }: DataModel): PeopleObject | undefined {
  const object = entityTypes.find((each) => each.kind === 'object' && each.standard_slug === 'people')
  if (object?.kind !== 'object') return undefined
  const [addresses, name] = [findAttribute(object, 'email_addresses'), findAttribute(object, 'name')]
  return addresses && name && { object, addresses, name }
}

/** The people who have the address now, or had it when they were moved to the trash. */
export async function findPeopleByAddress(
  sql: Sql | Transaction,
  { schema }: DataModel,
  { object, addresses }: PeopleObject,
  address: string,
): Promise<FoundPerson[]> {
  const column = columnName(addresses, 'email_address')
  const statement = `
    select h.id, false as trashed from ${object.table} h where h.${column} @> array[$1::text]
    union all
    select t.id, true from ${schema}.trash t where t.object = ${object.number}
      and exists (select from json_array_elements_text(case json_typeof(t.content->'${column}') when 'array' then t.content->'${column}' end) as a(v) where a.v = $1)`
  const rows = await sql.unsafe<{ id: string; trashed: boolean }[]>(statement, [address], prepareOptions(statement))
  return rows.map(({ id, trashed }) => ({ id, isTrashed: trashed }))
}

export interface PersonName {
  readonly first_name: string
  readonly last_name: string
}

/** The names that records of people have or had, also those in the trash. */
export async function readNames(
  sql: Sql | Transaction,
  { schema }: DataModel,
  { object, name }: PeopleObject,
  ids: readonly string[],
): Promise<PersonName[]> {
  const [first, last] = [columnName(name, 'first_name'), columnName(name, 'last_name')]
  const statement = `
    select ${first} as first_name, ${last} as last_name from ${object.table} where id = any($1::uuid[])
    union select content->>'${first}', content->>'${last}' from ${schema}.trash where id = any($1::uuid[])
    union select value->>'first_name', value->>'last_name' from ${schema}.history
      where attribute = ${name.number} and entity_id = any($1::uuid[])
    union select h->'value'->>'first_name', h->'value'->>'last_name'
      from ${schema}.trash_parts p, json_array_elements(p.content) as h(h)
      where p.kind = 'history' and p.record_id = any($1::uuid[]) and (h->>'attribute')::int = ${name.number}`
  const rows = await sql.unsafe<{ first_name: string | null; last_name: string | null }[]>(
    statement,
    [renderArray(ids)],
    prepareOptions(statement),
  )
  return rows.map(({ first_name, last_name }) => ({ first_name: first_name ?? '', last_name: last_name ?? '' }))
}

/** Those of the names that people besides `ids` have, as "first last" in lower case. */
export async function findSharedNames(
  sql: Sql | Transaction,
  { object, name }: PeopleObject,
  names: readonly PersonName[],
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const [first, last] = [columnName(name, 'first_name'), columnName(name, 'last_name')]
  const statement = `
    select distinct lower(concat(${first}, ' ', ${last})) as name from ${object.table}
    where lower(concat(${first}, ' ', ${last})) = any($1::text[]) and id <> all($2::uuid[])`
  const wanted = names.map(({ first_name, last_name }) => `${first_name} ${last_name}`.toLowerCase())
  const rows = await sql.unsafe<{ name: string }[]>(statement, [renderArray(wanted), renderArray(ids)])
  return new Set(rows.map(({ name: shared }) => shared))
}

/** The objects of records in the trash, by the ids of the records. */
export async function findObjectsOfTrashed(
  sql: Sql | Transaction,
  { schema, entityTypesByNumber }: DataModel,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ObjectType>> {
  const statement = `select id, object from ${schema}.trash where id = any($1::uuid[])`
  const rows = await sql.unsafe<{ id: string; object: number }[]>(statement, [renderArray(ids)])
  const found = new Map<string, ObjectType>()
  for (const { id, object } of rows) {
    const entityType = entityTypesByNumber.get(object)
    if (entityType?.kind === 'object') found.set(id, entityType)
  }
  return found
}

/** The ids of the entries of records in a list. */
export async function findEntryIds(
  sql: Sql | Transaction,
  list: ListType,
  recordIds: readonly string[],
): Promise<string[]> {
  const statement = `select id from ${list.table} where parent_record_id = any($1::uuid[]) order by id`
  const rows = await sql.unsafe<{ id: string }[]>(statement, [renderArray(recordIds)])
  return rows.map(({ id }) => id)
}

/** The rows of records in the trash, for their renderer. */
export const readTrashedRows = (
  sql: Sql | Transaction,
  model: DataModel,
  object: ObjectType,
  ids: readonly string[],
): Promise<readonly Row[]> =>
  rowsOf(
    sql.unsafe(
      `select ${layoutOf(model, object).select}
       from ${model.schema}.trash t, json_populate_record(null::${object.table}, t.content) h
       where t.object = ${object.number} and t.id = any($1::uuid[])`,
      [renderArray(ids)],
    ),
  )

/** The ended values of entities as JSON, also of those in the trash, in batches. The slugs of attributes replace their numbers. */
export async function* readHistoryLines(
  tx: Transaction,
  { schema, entityTypes }: DataModel,
  ids: readonly string[],
): AsyncGenerator<readonly string[]> {
  const slugs = entityTypes.flatMap(({ attributes }) => attributes.map(({ number, api_slug }) => [number, api_slug]))
  const statement = `
    with ended as (
      select to_jsonb(h) as line from ${schema}.history h where h.entity_id = any($1::uuid[])
      union all
      select e.line::jsonb from ${schema}.trash_parts p, json_array_elements(p.content) as e(line)
      where p.kind = 'history' and p.record_id = any($1::uuid[]))
    select (line - 'sequence' || jsonb_build_object('attribute', coalesce($2::jsonb->>(line->>'attribute'), line->>'attribute')))::text as line
    from ended order by line->>'active_from'`
  const parameters = [renderArray(ids), JSON.stringify(Object.fromEntries(slugs))]
  for await (const batch of tx.unsafe<{ line: string }[]>(statement, parameters).cursor(BATCH))
    yield batch.map(({ line }) => line)
}

const BATCH = 500
