/** Statements of look-ups and rollups: which entities a change concerns, and the values of these entities. See docs/decisions/rollups.md. */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import type { Stored } from '#engine/attribute-types/define'
import { idOf, layoutOfSelected, PARENT_COLUMNS, POSITION, targetColumn } from '#engine/storage/layout'
import { rowsOf } from '#engine/storage/statement'
import { targetsSql } from './interaction-statements'

/** The ids that a page begins behind, for the first one. */
export const NO_ENTITY = '00000000-0000-0000-0000-000000000000'

export interface EntityPage {
  /** The last entity of the page before. */
  readonly after: string
  readonly limit: number
}

/** The next entities of the type, in the order of their ids. */
export async function pageOfEntities(
  tx: Transaction,
  { table }: EntityType,
  { after, limit }: EntityPage,
): Promise<string[]> {
  const query = `select id from ${table} where id > $1::uuid order by id limit ${limit}`
  return idsOf(await tx.unsafe<IdRow[]>(query, [after], prepareOptions(query)))
}

/** How many entities of the type there are. */
export async function countEntities(on: Sql, { table }: EntityType): Promise<string> {
  const [row] = await on.unsafe<{ count: string }[]>(`select count(*) as count from ${table}`)
  return row?.count ?? '0'
}

/** The next entities that refer to the record by the attribute, or did. */
export async function pageOfReferring(
  tx: Transaction,
  model: DataModel,
  { table, reference, target }: { readonly table: string; readonly reference: Attribute; readonly target: string },
  { after, limit }: EntityPage,
): Promise<string[]> {
  const column = targetColumn(reference)
  const refers = reference.is_multiselect ? `${column} @> array[$2::uuid]` : `${column} = $2::uuid`
  const query = `
    select id from ${table} where ${refers} and id > $1::uuid
    union select entity_id from ${model.schema}.history
      where attribute = ${reference.number} and value ? 'target_record_id' and value->>'target_record_id' = $2::text
        and entity_id > $1::uuid
    order by 1 limit ${limit}`
  return idsOf(await tx.unsafe<IdRow[]>(query, [after, target], prepareOptions(query)))
}

interface TargetSearch {
  /** The entity type of the entities that refer. */
  readonly entityType: EntityType
  readonly reference: Attribute
  /** The object or activity of the records. */
  readonly target: EntityType
}

/** The records to which the entities refer by the attribute, or did, also when they are in the trash. */
export async function findTargets(
  tx: Sql | Transaction,
  model: DataModel,
  { entityType, reference, target }: TargetSearch,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const targets =
    reference.stored_in === 'entity'
      ? `select parent_object as object, parent_record_id as id from ${entityType.table} where id = any($1::uuid[])`
      : targetsSql(model, entityType, reference)
  const query = `select distinct id from (${targets}) t where object = ${target.number} and id is not null`
  return idsOf(await tx.unsafe<IdRow[]>(query, [renderArray(ids)], prepareOptions(query)))
}

/**
 * Computes the values of one attribute, and writes those that changed. Versions stay, because no client wrote them. Returns the entities
 * that changed. The caller has locked the entities in an earlier statement of the transaction, so this one sees all changes until then.
 */
export async function refreshValues(
  tx: Transaction,
  { table }: EntityType,
  { columns, text, parameters }: ComputedValues,
  ids: readonly string[],
): Promise<string[]> {
  const row = (alias: string) => `row(${columns.map((column) => `${alias}.${column}`).join(', ')})`
  const query = `
    with v as materialized (${text})
    update ${table} u set ${columns.map((column) => `${column} = v.${column}`).join(', ')}
    from v where u.id = v.id and ${row('u')} is distinct from ${row('v')} returning u.id`
  return idsOf(await tx.unsafe<IdRow[]>(query, [renderArray(ids), ...parameters], prepareOptions(query)))
}

/** The values of one attribute by the id of the entity, as its columns would have them. */
export async function readComputedValues(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  { attribute, columns, text, parameters }: ComputedValues & { readonly attribute: Attribute },
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Stored[]>> {
  const layout = layoutOfSelected(model, entityType, [attribute])
  const parent = entityType.kind === 'list' ? PARENT_COLUMNS.map(([name]) => name) : []
  const own = [...Object.keys(POSITION), ...parent].map((name) => `p.${name}`)
  const query = `
    with v as materialized (${text})
    select ${layout.select} from (
      select ${[...own, ...columns.map((name) => `v.${name}`)].join(', ')} from ${entityType.table} p join v on v.id = p.id) h`
  const rows = await rowsOf(tx.unsafe(query, [renderArray(ids), ...parameters], prepareOptions(query)))
  return new Map(rows.map((row) => [idOf(row), layout.attributes[0]?.stored?.(row) ?? []]))
}

/** Deletes the ended values of attributes of these entities. */
export async function deleteHistoryOf(
  tx: Transaction,
  { schema }: DataModel,
  attributes: readonly Attribute[],
  ids: readonly string[],
): Promise<void> {
  const query = `delete from ${schema}.history where entity_id = any($1::uuid[]) and attribute = any($2::int[])`
  const numbers = attributes.map(({ number }) => number)
  await tx.unsafe(query, [renderArray(ids), renderArray(numbers)], prepareOptions(query))
}

/** The JSON of each value, by the id of the entity. */
export async function readSample(
  tx: Transaction,
  { text, parameters }: Omit<ComputedValues, 'columns'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await tx.unsafe<{ id: string; value: string | null }[]>(text, [renderArray(ids), ...parameters])
  return new Map(rows.map(({ id, value }) => [id, value]))
}

interface ComputedValues {
  readonly columns: readonly string[]
  readonly text: string
  readonly parameters: readonly string[]
}

/** Locks the entities in the order of their ids, as other statements over several rows do. Returns those that exist. */
export async function lockForRefresh(
  tx: Transaction,
  { table }: EntityType,
  ids: readonly string[],
): Promise<string[]> {
  const query = `select id from ${table} where id = any($1::uuid[]) order by id for no key update`
  return idsOf(await tx.unsafe<IdRow[]>(query, [renderArray(ids)], prepareOptions(query)))
}

interface IdRow {
  readonly id: string
}

const idsOf = (rows: readonly IdRow[]): string[] => rows.map(({ id }) => id)
