/** Looks up the records that rows are about, and what those hold: one statement each for a whole batch. */

import type { Sql } from '../../../db/connect'
import { renderArray } from '../../../db/connect'
import { columnName } from '../../attribute-types/definition/columns'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import { compileLayout, creationOf, idOf, provenanceOf, type Row } from '../../storage/layout'
import type { Version } from '../../storage/provenance'
import { namingMember } from './identify'
import { isStored } from '../mapping/planned-model'

/** The records that have one of these values of a unique attribute, by value. */
export async function findByKeys(
  sql: Sql,
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

/** Those of these ids that are records, each under itself. */
export async function findByIds(
  sql: Sql,
  object: ObjectType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const query = `select id from ${object.table} where id = any($1::uuid[])`
  const rows = await sql.unsafe<{ id: string }[]>(query, [`{${ids.join(',')}}`], { prepare: true })
  return new Map(rows.map(({ id }) => [id, id]))
}

/** The records of these names, by name; oldest first. */
export async function findByNames(
  sql: Sql,
  object: ObjectType,
  attribute: Attribute,
  names: readonly string[],
): Promise<Map<string, string[]>> {
  if (names.length === 0) return new Map()
  const column = columnName(attribute, namingMember(attribute))
  const query = `select ${column} as name, id from ${object.table} where ${column} = any($1::text[]) order by created_at, id`
  const rows = await sql.unsafe<{ name: string; id: string }[]>(query, [renderArray(names)], { prepare: true })
  const found = Map.groupBy(rows, ({ name }) => name)
  return new Map([...found].map(([name, each]) => [name, each.map(({ id }) => id)]))
}

/** What a record holds of the attributes that an import writes. */
export interface HeldRecord {
  /** In microseconds. */
  readonly createdAt: number
  versionsOf(attribute: Attribute): readonly Version[]
}

/** Records by id; those that do not exist any more are left out. Nothing is locked. */
export async function readRecords(
  sql: Sql,
  model: DataModel,
  object: ObjectType,
  attributes: readonly Attribute[],
  ids: readonly string[],
): Promise<Map<string, HeldRecord>> {
  if (ids.length === 0) return new Map()
  const layout = compileLayout(model, object, attributes.filter(isStored))
  const query = `select ${layout.select} from ${object.table} h where h.id = any($1::uuid[])`
  const rows = (await sql.unsafe(query, [`{${ids.join(',')}}`]).values()) as unknown as Row[] // rows as arrays
  return new Map(
    rows.map((row) => {
      const created = creationOf(row)
      const provenance = provenanceOf(row)
      const versionsOf = ({ id }: Attribute) =>
        layout.attributes.find(({ attribute }) => attribute.id === id)?.read(row, created, provenance) ?? []
      return [idOf(row), { createdAt: created.at, versionsOf }]
    }),
  )
}
