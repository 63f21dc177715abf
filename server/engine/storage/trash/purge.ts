/** Statements that delete records for good, read what they had before, and find those in the trash that have expired. */

import { prepareOptions, renderArray, type Transaction } from '#db/connect'
import { columnName } from '#engine/attribute-types/definition/columns'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel, RecordType } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { deleteSharedHistory } from '#engine/storage/statements/delete-entities'
import { deleteParts } from './restore-rows'

/** Those of the records of one object that are in the trash, locked. */
export async function lockTrashed(
  tx: Transaction,
  { schema }: DataModel,
  object: RecordType,
  ids: readonly string[],
): Promise<string[]> {
  const statement = `select id from ${schema}.trash where object = $1 and id = any($2::uuid[]) order by id for update`
  const parameters = [object.number, renderArray(ids)]
  const rows = await tx.unsafe<{ id: string }[]>(statement, parameters, prepareOptions(statement))
  return rows.map(({ id }) => id)
}

/** Deletes records of one object from the trash, with everything that was deleted with them. */
export async function deleteFromTrash(
  tx: Transaction,
  model: DataModel,
  object: RecordType,
  ids: readonly string[],
): Promise<void> {
  const statement = `delete from ${model.schema}.trash where object = $1 and id = any($2::uuid[])`
  await tx.unsafe(statement, [object.number, renderArray(ids)], prepareOptions(statement))
  await deleteParts(tx, model, ids)
  await deleteSharedHistory(tx, model, object, ids)
}

/** Deletes the ended values of records, also those that the other side of a relationship still shows. */
export async function deleteAllHistory(tx: Transaction, { schema }: DataModel, ids: readonly string[]): Promise<void> {
  const statement = `delete from ${schema}.history where entity_id = any($1::uuid[])`
  await tx.unsafe(statement, [renderArray(ids)], prepareOptions(statement))
}

/** The texts that records have or had in a member of a multiselect attribute, also those of records in the trash. */
export async function readAllTexts(
  tx: Transaction,
  model: DataModel,
  { attribute, member }: { readonly attribute: Attribute; readonly member: string },
  ids: readonly string[],
): Promise<string[]> {
  const { schema } = model
  const column = columnName(attribute, member)
  const statement = `
    select unnest(h.${column}) as text from ${entityTypeOf(model, attribute).table} h where h.id = any($1::uuid[])
    union select value->>'${member}' from ${schema}.history where attribute = $2 and entity_id = any($1::uuid[])
    union select c.text from ${schema}.trash t, json_array_elements_text(
        case when json_typeof(t.content->'${column}') = 'array' then t.content->'${column}' else '[]' end) as c(text)
      where t.id = any($1::uuid[])
    union select e.value->'value'->>'${member}' from ${schema}.trash_parts p, json_array_elements(p.content) as e(value)
      where p.record_id = any($1::uuid[]) and p.kind = 'history' and (e.value->>'attribute')::int = $2`
  const rows = await tx.unsafe<{ text: string | null }[]>(
    statement,
    [renderArray(ids), attribute.number],
    prepareOptions(statement),
  )
  return rows.flatMap(({ text }) => text ?? [])
}

/** The tasks that were linked to records in the trash. */
export async function readTrashedTaskIds(
  tx: Transaction,
  { schema }: DataModel,
  ids: readonly string[],
): Promise<string[]> {
  const statement = `
    select distinct l.value->>'task_id' as id from ${schema}.trash_parts p, json_array_elements(p.content) as l(value)
    where p.record_id = any($1::uuid[]) and p.kind = 'task_links'`
  const rows = await tx.unsafe<{ id: string }[]>(statement, [renderArray(ids)], prepareOptions(statement))
  return rows.map(({ id }) => id)
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
