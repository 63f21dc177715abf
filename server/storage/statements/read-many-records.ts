/** Finds and reads many records with one statement, without locks. */

import { renderArray, type Sql, type Transaction } from '../../../db/connect'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import { compileLayout, creationOf, idOf, provenanceOf } from '../layout'
import type { DatedValue } from '../provenance'
import { rowsOf } from '../statement'

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

/** The ids that belong to a record, each under itself. */
export async function findByIds(
  sql: Sql,
  object: ObjectType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const query = `select id from ${object.table} where id = any($1::uuid[])`
  const rows = await sql.unsafe<{ id: string }[]>(query, [renderArray(ids)], { prepare: true })
  return new Map(rows.map(({ id }) => [id, id]))
}

/** Ids of the records that have one of these texts in a column, by text, oldest first. */
export async function findByTexts(
  sql: Sql,
  object: ObjectType,
  column: string,
  texts: readonly string[],
): Promise<Map<string, string[]>> {
  if (texts.length === 0) return new Map()
  const query = `select ${column} as text, id from ${object.table} where ${column} = any($1::text[]) order by created_at, id`
  const rows = await sql.unsafe<{ text: string; id: string }[]>(query, [renderArray(texts)], { prepare: true })
  const found = Map.groupBy(rows, ({ text }) => text)
  return new Map([...found].map(([text, each]) => [text, each.map(({ id }) => id)]))
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
  object: ObjectType,
  attributes: readonly Attribute[],
  ids: readonly string[],
): Promise<Map<string, StoredRecord>> {
  if (ids.length === 0) return new Map()
  const layout = compileLayout(model, object, attributes)
  const query = `select ${layout.select} from ${object.table} h where h.id = any($1::uuid[])`
  const rows = await rowsOf(sql.unsafe(query, [renderArray(ids)]))
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
