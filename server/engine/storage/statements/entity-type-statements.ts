/** Statements over all entities of one entity type. */

import type { Sql, Transaction } from '#db/connect'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { createdAtText, idOf, type Layout, type Row } from '#engine/storage/layout'
import { rowsOf } from '#engine/storage/statement'

export async function hasEntities(tx: Transaction, entityType: EntityType): Promise<boolean> {
  const rows = await tx.unsafe(`select 1 from ${entityType.table} limit 1`)
  return rows.length > 0
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

/** Deletes the redirections from merged records of an object. */
export async function deleteMerges(tx: Transaction, model: DataModel, entityType: EntityType): Promise<void> {
  await tx.unsafe(`delete from ${model.schema}.merges where new_id in (select id from ${entityType.table})`)
}
