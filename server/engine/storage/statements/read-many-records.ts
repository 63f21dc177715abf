/** Finds and reads many records with one statement, without locks. */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import { columnName } from '#engine/attribute-types/definition/columns'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel, RecordType } from '#engine/data-model/model'
import { creationOf, idOf, layoutOfSelected, provenanceOf, targetColumn } from '#engine/storage/layout'
import type { DatedValue } from '#engine/storage/provenance'
import { rowsOf } from '#engine/storage/statement'

/** Ids of the records that have one of these unique keys, by key. The keys are in the form of `storedKey`. */
export async function findByKeys(
  sql: Sql | Transaction,
  model: DataModel,
  attribute: Attribute,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  const query = `select key, entity_id from ${model.schema}.uniques where attribute = $1 and key = any($2::text[])`
  const rows = await sql.unsafe<{ key: string; entity_id: string }[]>(query, [attribute.number, renderArray(keys)], {
    prepare: true,
  })
  return new Map(rows.map(({ key, entity_id }) => [key, entity_id]))
}

/** A record that was found by a unique key. */
export interface FoundRecord {
  readonly key: string
  /** The number of the unique attribute. */
  readonly attribute: number
  readonly id: string
  /** The record to which the record refers; null for records of `others`. */
  readonly target_id: string | null
}

/** Keys of a unique attribute. */
export interface KeySearch {
  readonly unique: Attribute
  readonly keys: readonly string[]
}

/**
 * The records that have one of the keys of two unique attributes, in one round trip. `reference` has one value, which is stored
 * in columns.
 */
export function findRecordsByKeys(
  sql: Sql | Transaction,
  model: DataModel,
  { unique, keys, reference }: KeySearch & { readonly reference: Attribute },
  others: KeySearch,
): Promise<readonly FoundRecord[]> {
  const { schema } = model
  const query = `
    select u.key, u.attribute, u.entity_id as id, h.${targetColumn(reference)} as target_id
    from ${schema}.uniques u join ${entityTypeOf(model, reference).table} h on h.id = u.entity_id
    where u.attribute = $1 and u.key = any($2::text[])
    union all
    select key, attribute, entity_id, null from ${schema}.uniques where attribute = $3 and key = any($4::text[])`
  const parameters = [unique.number, renderArray(keys), others.unique.number, renderArray(others.keys)]
  return sql.unsafe<FoundRecord[]>(query, parameters, prepareOptions(query))
}

/** The ids that belong to a record, each under itself. */
export async function findByIds(
  sql: Sql,
  object: RecordType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const query = `select id from ${object.table} where id = any($1::uuid[])`
  const rows = await sql.unsafe<{ id: string }[]>(query, [renderArray(ids)], { prepare: true })
  return new Map(rows.map(({ id }) => [id, id]))
}

/** Ids of the records that have one of these texts in a column, by text, oldest first. */
export async function findByTexts(
  sql: Sql,
  object: RecordType,
  column: string,
  texts: readonly string[],
): Promise<Map<string, string[]>> {
  if (texts.length === 0) return new Map()
  const query = `select ${column} as text, id from ${object.table} where ${column} = any($1::text[]) order by created_at, id`
  const rows = await sql.unsafe<{ text: string; id: string }[]>(query, [renderArray(texts)], { prepare: true })
  const found = Map.groupBy(rows, ({ text }) => text)
  return new Map([...found].map(([text, each]) => [text, each.map(({ id }) => id)]))
}

/** The texts that records have in a member of a multiselect attribute, by record. A record that was deleted is absent. */
export async function readTexts(
  sql: Sql | Transaction,
  model: DataModel,
  { attribute, member }: { readonly attribute: Attribute; readonly member: string },
  ids: readonly string[],
): Promise<Map<string, readonly string[]>> {
  if (ids.length === 0) return new Map()
  const query = `select id, ${columnName(attribute, member)} as texts from ${entityTypeOf(model, attribute).table}
    where id = any($1::uuid[])`
  const rows = await sql.unsafe<{ id: string; texts: string[] | null }[]>(
    query,
    [renderArray(ids)],
    prepareOptions(query),
  )
  return new Map(rows.map(({ id, texts }) => [id, texts ?? []]))
}

/** The values of a record, for the attributes that were read. */
export interface StoredRecord {
  /** Microseconds since 1970. */
  readonly createdAt: number
  valuesOf(attribute: Attribute): readonly DatedValue[]
}

/** Records by id. A record that was deleted is absent. */
export async function readRecords(
  sql: Sql | Transaction,
  model: DataModel,
  object: RecordType,
  attributes: readonly Attribute[],
  ids: readonly string[],
): Promise<Map<string, StoredRecord>> {
  if (ids.length === 0) return new Map()
  const layout = layoutOfSelected(model, object, attributes)
  const query = `select ${layout.select} from ${object.table} h where h.id = any($1::uuid[])`
  const rows = await rowsOf(sql.unsafe(query, [renderArray(ids)], prepareOptions(query)))
  return new Map(
    rows.map((row) => {
      const created = creationOf(row)
      const provenance = provenanceOf(row)
      const valuesOf = ({ id }: Attribute) =>
        layout.attributes.find(({ attribute }) => attribute.id === id)?.read(row, created, provenance) ?? []
      return [idOf(row), { createdAt: created.at, valuesOf }]
    }),
  )
}
