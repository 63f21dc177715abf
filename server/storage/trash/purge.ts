/** Statements that delete records from the trash for good, and find those that have expired. */

import { renderArray, type Transaction } from '../../../db/connect'
import { prepareOptions } from '../../../db/prepared-statements'
import type { DataModel, EntityType, ObjectType } from '../../data-model/model'
import { type Micros, timestampFromMicros } from '../../timing/clock'
import { erasePreviousValues } from '../imports/import-updates'
import { deleteSharedHistory } from '../statements/delete-entities'
import { deleteParts } from './restore-rows'

/** Deletes records of one object from the trash, with everything that was deleted with them. Returns the ids of those that were there. */
export async function deleteFromTrash(
  tx: Transaction,
  model: DataModel,
  object: ObjectType,
  ids: readonly string[],
): Promise<string[]> {
  const statement = `delete from ${model.schema}.trash where object = $1 and id = any($2::uuid[]) returning id`
  const rows = await tx.unsafe<{ id: string }[]>(
    statement,
    [object.number, renderArray(ids)],
    prepareOptions(statement),
  )
  const deleted = rows.map(({ id }) => id)
  if (deleted.length === 0) return deleted
  await deleteParts(tx, model, deleted)
  await erasePreviousValues(tx, model, deleted)
  await deleteSharedHistory(tx, model, object, deleted)
  return deleted
}

/** Deletes the ended values of a record, also those that the other side of a relationship still shows. */
export async function deleteAllHistory(tx: Transaction, { schema }: DataModel, id: string): Promise<void> {
  const statement = `delete from ${schema}.history where entity_id = $1`
  await tx.unsafe(statement, [id], prepareOptions(statement))
}

/** Deletes all records of an object from the trash, when the object is deleted. */
export async function deleteTrashOf(tx: Transaction, { schema }: DataModel, { number }: EntityType): Promise<void> {
  const parts = `delete from ${schema}.trash_parts where record_id in (select id from ${schema}.trash where object = $1)`
  await tx.unsafe(parts, [number], prepareOptions(parts))
  const trash = `delete from ${schema}.trash where object = $1`
  await tx.unsafe(trash, [number], prepareOptions(trash))
}

/** Locks the records that have expired, the oldest first. Leaves out those that another transaction has locked. */
export async function lockExpired(
  tx: Transaction,
  { schema }: DataModel,
  now: Micros,
  limit: number,
): Promise<readonly { readonly id: string; readonly object: number }[]> {
  const statement = `
    select id, object from ${schema}.trash where expires_at <= $1 order by expires_at limit $2 for update skip locked`
  return tx.unsafe<{ id: string; object: number }[]>(
    statement,
    [timestampFromMicros(now), limit],
    prepareOptions(statement),
  )
}
