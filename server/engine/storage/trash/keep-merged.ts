/**
 * Statements that store what a merge moves from its originals, which are kept in the trash, so that restoring an original takes
 * it back. They run before the merge moves it. See docs/decisions/trash-and-merges.md.
 */

import { renderArray, type Transaction } from '#db/connect'
import { prepareOptions } from '#db/prepared-statements'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel, ListType, ObjectType } from '#engine/data-model/model'
import { listsOf, parentUniqueKey } from '#engine/storage/find-records'
import { provenanceSql } from '#engine/storage/provenance'
import { attributesReferringTo, targetColumn } from '#engine/storage/references'

/** Inserts parts of each original: those of a deletion, and `moved_entries`, `ended_references` and `merged_ids`. */
export async function keepMovedParts(
  tx: Transaction,
  model: DataModel,
  object: ObjectType,
  ids: readonly string[],
): Promise<void> {
  await keep(tx, historyOf(model), ids)
  for (const list of listsOf(model, object)) {
    await keep(tx, entriesOf(model, list), ids)
    await keep(tx, keysOf(model, list), ids)
  }
  for (const attribute of attributesReferringTo(model, object)) await keep(tx, referencesOf(model, attribute), ids)
  await keep(tx, endedReferencesOf(model), ids)
  await keep(tx, mergedIdsOf(model), ids)
}

const insertInto = ({ schema }: DataModel): string =>
  `insert into ${schema}.trash_parts (record_id, kind, entity_type, attribute, content)`

const historyOf = (model: DataModel): string => `
  ${insertInto(model)}
  select h.entity_id, 'history', null, null, json_agg(h order by h.sequence) from ${model.schema}.history h
  where h.entity_id = any($1::uuid[]) group by h.entity_id`

const entriesOf = (model: DataModel, { number, table }: ListType): string => `
  ${insertInto(model)}
  select parent_record_id, 'moved_entries', ${number}, null, json_agg(id) from ${table}
  where parent_record_id = any($1::uuid[]) group by parent_record_id`

/** The merge deletes the unique keys of entries by their parent record. */
const keysOf = (model: DataModel, list: ListType): string => `
  ${insertInto(model)}
  select u.key::uuid, 'keys', null, null, json_agg(u) from ${model.schema}.uniques u
  where u.attribute = ${parentUniqueKey(list, '').attribute} and u.key = any(($1::uuid[])::text[]) group by u.key`

function referencesOf(model: DataModel, attribute: Attribute): string {
  const { number, is_multiselect } = attribute
  const column = `h.${targetColumn(attribute)}`
  const targets = is_multiselect
    ? `lateral unnest(${column}) with ordinality as t(id, position) where ${column} && $1::uuid[] and t.id = any($1::uuid[])`
    : `lateral (select ${column} as id, 1 as position) t where ${column} = any($1::uuid[])`
  const entry = provenanceSql('h.provenance', number, '(t.position - 1)::int')
  return `
    ${insertInto(model)}
    select t.id, 'references', null, ${number},
      json_agg(json_build_object('entity_id', h.id, 'entry', ${entry}, 'index', t.position - 1))
    from ${entityTypeOf(model, attribute).table} h, ${targets} group by t.id`
}

/** The merge redirects ended values of other entities as well. */
const endedReferencesOf = (model: DataModel): string => `
  ${insertInto(model)}
  select (h.value->>'target_record_id')::uuid, 'ended_references', null, null, json_agg(h.sequence)
  from ${model.schema}.history h
  where h.value ? 'target_record_id' and h.value->>'target_record_id' = any(($1::uuid[])::text[])
  group by h.value->>'target_record_id'`

const mergedIdsOf = (model: DataModel): string => `
  ${insertInto(model)}
  select new_id, 'merged_ids', null, null, json_agg(old_id) from ${model.schema}.merges
  where new_id = any($1::uuid[]) group by new_id`

async function keep(tx: Transaction, statement: string, ids: readonly string[]): Promise<void> {
  await tx.unsafe(statement, [renderArray(ids)], prepareOptions(statement))
}

/** Records in the trash that were merged into an original lead to the new record. */
export async function redirectTrashed(
  tx: Transaction,
  { schema }: DataModel,
  ids: readonly string[],
  newId: string,
): Promise<void> {
  const statement = `update ${schema}.trash set merged_into = $1 where merged_into = any($2::uuid[])`
  await tx.unsafe(statement, [newId, renderArray(ids)], prepareOptions(statement))
}
