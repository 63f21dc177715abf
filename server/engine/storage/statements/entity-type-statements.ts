/** Statements over all entities of one entity type, and over the unique keys and the history of whole attributes. */
import { renderArray, type Sql, type Transaction } from '#db/connect'
import type { Attribute, DataModel, EntityType, RecordType } from '#engine/data-model/model'
import { createdAtText, idOf, type Layout, type Row } from '#engine/storage/layout'
import { rowsOf } from '#engine/storage/statement'
import type { OwnedKey } from '#engine/storage/unique-keys'

export async function countEntities(sql: Sql, entityType: EntityType): Promise<number> {
  const [row] = await sql.unsafe<{ count: number }[]>(`select count(*)::int as count from ${entityType.table}`)
  return row?.count ?? 0
}

/** The ids of an entity, and of its parent record if it is an entry. */
interface EntityIds {
  readonly id: string
  readonly parent_record_id?: string
}

export async function findNewestEntities(sql: Sql, entityType: EntityType): Promise<EntityIds | undefined> {
  const columns = entityType.kind === 'list' ? 'id, parent_record_id' : 'id'
  const query = `select ${columns} from ${entityType.table} order by created_at desc, id desc limit 1`
  const [row] = await sql.unsafe<EntityIds[]>(query)
  return row
}

const PAGE = 5000

/** Entities in the order of their creation, page by page; `after` is the last row of the page before. */
export async function readEntityPage(
  tx: Transaction,
  entityType: EntityType,
  layout: Layout,
  after?: Row,
): Promise<Row[]> {
  const beyond = after === undefined ? '' : 'where (h.created_at, h.id) > ($1, $2)'
  const query = `select ${layout.select} from ${entityType.table} h ${beyond} order by h.created_at, h.id limit ${PAGE}`
  const parameters = after === undefined ? [] : [createdAtText(after), idOf(after)]
  return rowsOf(tx.unsafe(query, parameters))
}

/** The ids of records of an object, also of those in the trash, in their order, after one of them. */
export async function readIds(
  tx: Sql | Transaction,
  { schema }: DataModel,
  { number, table }: EntityType,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const query = `
    (select id from ${table} where id > $1 order by id limit $2)
    union all (select id from ${schema}.trash where id > $1 and object = $3 order by id limit $2) order by id limit $2`
  const rows = await tx.unsafe<{ id: string }[]>(query, [after, limit, number])
  return rows.map(({ id }) => id)
}

/** Deletes the redirections from records that were merged into these. */
export async function deleteMerges(tx: Transaction, { schema }: DataModel, ids: readonly string[]): Promise<void> {
  await tx.unsafe(`delete from ${schema}.merges where new_id = any($1::uuid[])`, [renderArray(ids)])
}

/** Inserts unique keys. A key that another entity has already stays with that entity. Returns how many were free. */
export async function insertFreeKeys(tx: Transaction, model: DataModel, keys: readonly OwnedKey[]): Promise<number> {
  const { count } = await tx.unsafe(
    `insert into ${model.schema}.uniques (attribute, key, entity_id)
     select attribute, key, entity_id from json_to_recordset($1::text::json) as k(attribute int, key text, entity_id uuid)
     on conflict do nothing`,
    [JSON.stringify(keys)],
  )
  return count
}

/** Deletes the unique keys or the history of attributes. */
export async function deleteRowsOf(
  tx: Transaction,
  model: DataModel,
  table: 'uniques' | 'history',
  attributes: readonly Attribute[],
): Promise<void> {
  const query = `delete from ${model.schema}.${table} where attribute = any($1::int[])`
  await tx.unsafe(query, [renderArray(attributes.map(({ number }) => number))])
}

/** Deletes the ended values that referred to records of the object. */
export async function deleteEndedReferences(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  object: RecordType,
): Promise<void> {
  const query = `delete from ${model.schema}.history where attribute = $1 and (value->>'target_object')::int = $2`
  await tx.unsafe(query, [attribute.number, object.number])
}
