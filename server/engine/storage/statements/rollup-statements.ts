/** Statements of look-ups and rollups: which entities a change concerns, and the values of these entities. See docs/decisions/rollups.md. */

import { prepareOptions, type Sql, type Transaction } from '#db/connect'
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

/** Locks the next entities of the type, in the order of their ids, as other statements over several rows do. Fewer than the limit are the last ones. */
export const lockPage = (tx: Transaction, { table }: EntityType, { after, limit }: EntityPage): Promise<string[]> =>
  readIds(tx, `select id from ${table} where id > $1::uuid order by id limit ${limit} for no key update`, [after])

/** How many entities of the type there are. */
export async function countEntities(on: Sql, { table }: EntityType): Promise<string> {
  const [row] = await on.unsafe<{ count: string }[]>(`select count(*) as count from ${table}`)
  return row?.count ?? '0'
}

/** The next entities that refer to one of the records by the attribute, or did. */
export function pageOfReferring(
  tx: Transaction,
  model: DataModel,
  {
    table,
    reference,
    targets,
  }: { readonly table: string; readonly reference: Attribute; readonly targets: readonly string[] },
  { after, limit }: EntityPage,
): Promise<string[]> {
  const column = targetColumn(reference)
  const refers = reference.is_multiselect ? `${column} && $2::uuid[]` : `${column} = any($2::uuid[])`
  const query = `
    select id from ${table} where ${refers} and id > $1::uuid
    union select entity_id from ${model.schema}.history
      where attribute = ${reference.number} and value ? 'target_record_id' and value->>'target_record_id' = any($2::text[])
        and entity_id > $1::uuid
    order by 1 limit ${limit}`
  return readIds(tx, query, [after, arrayOf(targets)])
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
  return readIds(tx, query, [arrayOf(ids)])
}

/**
 * Computes the values of attributes, and writes those that changed, each row once. Versions stay, because no client wrote them. Returns the
 * entities that changed, for each attribute. The caller has locked the entities in an earlier statement of the transaction, so this one sees all
 * changes until then.
 */
export async function refreshValues(
  tx: Transaction,
  { table }: EntityType,
  {
    attributes,
    parameters,
  }: { readonly attributes: readonly ComputedValues[]; readonly parameters: readonly string[] },
  ids: readonly string[],
): Promise<string[][]> {
  if (attributes.length === 0) return []
  const computed = attributes.map(({ text }, index) => `v${index} as materialized (${text})`)
  const assignments = attributes.flatMap(({ columns }, index) =>
    columns.map((column) => `${column} = v${index}.${column}`),
  )
  const joins = attributes.slice(1).map((_, index) => ` join v${index + 1} on v${index + 1}.id = v0.id`)
  const flags = attributes.map((_, index) => `v${index}.is_changed`)
  const query = `
    with ${computed.join(', ')}, changed as (
      update ${table} u set ${assignments.join(', ')} from v0${joins.join('')}
      where u.id = v0.id and (${flags.join(' or ')})
      returning u.id, ${flags.map((flag, index) => `${flag} as changed_${index}`).join(', ')})
    select ${flags.map((_, index) => `string_agg(id::text, ',') filter (where changed_${index}) as ids_${index}`).join(', ')} from changed`
  const [row = {}] = await tx.unsafe<Readonly<Record<string, string | null>>[]>(
    query,
    [arrayOf(ids), ...parameters],
    prepareOptions(query),
  )
  return attributes.map((_, index) => idsIn(row[`ids_${index}`]))
}

/** The values of one attribute by the id of the entity, as its columns would have them. */
export async function readComputedValues(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  {
    attribute,
    columns,
    text,
    parameters,
  }: ComputedValues & { readonly attribute: Attribute; readonly parameters: readonly string[] },
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Stored[]>> {
  const layout = layoutOfSelected(model, entityType, [attribute])
  const parent = entityType.kind === 'list' ? PARENT_COLUMNS.map(([name]) => name) : []
  const own = [...Object.keys(POSITION), ...parent].map((name) => `p.${name}`)
  const query = `
    with v as materialized (${text})
    select ${layout.select} from (
      select ${[...own, ...columns.map((name) => `v.${name}`)].join(', ')} from ${entityType.table} p join v on v.id = p.id) h`
  const rows = await rowsOf(tx.unsafe(query, [arrayOf(ids), ...parameters], prepareOptions(query)))
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
  await tx.unsafe(query, [arrayOf(ids), arrayOf(numbers.map(String))], prepareOptions(query))
}

/** The JSON of each value, by the id of the entity. */
export async function readSample(
  tx: Transaction,
  { text, parameters }: Pick<ComputedValues, 'text'> & { readonly parameters: readonly string[] },
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await tx.unsafe<{ id: string; value: string | null }[]>(text, [arrayOf(ids), ...parameters])
  return new Map(rows.map(({ id, value }) => [id, value]))
}

interface ComputedValues {
  readonly columns: readonly string[]
  readonly text: string
}

/** Locks the entities in the order of their ids. Returns those that exist. */
export const lockForRefresh = (tx: Transaction, { table }: EntityType, ids: readonly string[]): Promise<string[]> =>
  readIds(tx, `select id from ${table} where id = any($1::uuid[]) order by id for no key update`, [arrayOf(ids)])

/** The ids that a query selects, as one text: the driver takes longer for a thousand rows than PostgreSQL for computing them. */
async function readIds(tx: Sql | Transaction, query: string, parameters: readonly string[]): Promise<string[]> {
  const text = `select string_agg(id::text, ',') as ids from (${query}) found`
  const [row] = await tx.unsafe<{ ids: string | null }[]>(text, [...parameters], prepareOptions(text))
  return idsIn(row?.ids)
}

const idsIn = (text: string | null | undefined): string[] => text?.split(',') ?? []
/** Ids need no quotes. */
const arrayOf = (ids: readonly string[]): string => `{${ids.join(',')}}`
