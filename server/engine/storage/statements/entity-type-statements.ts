/** Statements over all entities of one entity type. */

import { renderArray, type Sql, type Transaction } from '#db/connect'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { createdAtText, idOf, type Layout, type Row } from '#engine/storage/layout'
import { rowsOf } from '#engine/storage/statement'

export async function countEntities(sql: Sql, entityType: EntityType): Promise<number> {
  const [row] = await sql.unsafe<{ count: number }[]>(`select count(*)::int as count from ${entityType.table}`)
  return row?.count ?? 0
}

/** The ids of an entity, and of its parent record if it is an entry. */
export interface EntityIds {
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
