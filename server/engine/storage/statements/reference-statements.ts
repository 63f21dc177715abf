/** Statements over the columns of one reference attribute, for what deletes, merges and rewrites relationships. */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { timestampFromMicros } from '#base/timing/clock'
import { activeFromSql, actorSql, writtenFromOtherSideSql, provenanceSql, type Stamp } from '#engine/storage/provenance'
import { getPartner, targetColumn, targetObjectColumn } from '#engine/storage/layout'
import { insertReferences } from '#engine/storage/trash/move-to-trash'

/** The entities whose `attribute` refers to `targetId`, by id. */
export async function findReferringIds(
  tx: Sql | Transaction,
  model: DataModel,
  attribute: Attribute,
  targetId: string,
): Promise<string[]> {
  const column = targetColumn(attribute)
  const refers = attribute.is_multiselect ? `${column} @> array[$1::uuid]` : `${column} = $1::uuid`
  const query = `select id from ${entityTypeOf(model, attribute).table} where ${refers} order by id`
  const rows = await tx.unsafe<{ id: string }[]>(query, [targetId], { prepare: true })
  return rows.map(({ id }) => id)
}

/** The SQL that holds for an entity, called `alias`, whose attribute refers to the record with the id, from either side of a relationship. */
export function refersSql(model: DataModel, reference: Attribute, alias: string, id: string): string {
  if (reference.stored_in === 'columns') {
    const column = `${alias}.${targetColumn(reference)}`
    return reference.is_multiselect ? `${column} @> array[${id}]` : `${column} = ${id}`
  }
  const { attribute, entityType } = getPartner(model, reference)
  const column = `p.${targetColumn(attribute)}`
  const ids = attribute.is_multiselect ? `unnest(${column})` : column
  return `${alias}.id in (select ${ids} from ${entityType.table} p where p.id = ${id})`
}

/** Locks the entities whose `attribute`, a list, has a reference to one of the records. Returns whether there are any. */
export async function lockReferringLists(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  targetIds: readonly string[],
): Promise<boolean> {
  const { table } = entityTypeOf(model, attribute)
  const query = `
    with locked as materialized (
      select id from ${table} where ${targetColumn(attribute)} && $1::uuid[] order by id for no key update)
    select count(*) > 0 as found from locked`
  const [row] = await tx.unsafe<{ found: boolean }[]>(query, [renderArray(targetIds)], prepareOptions(query))
  return row?.found === true
}

/**
 * Ends the references of an attribute with one value to records that are locked for deletion, and inserts them into the history. The number
 * of statements does not depend on that of entities. References of a record that is deleted before its target stay. With `isTrashed`, the
 * references become parts of their targets in the trash. Returns the entities and what they referred to.
 */
export async function clearReferences(
  tx: Transaction,
  { model, stamp: { now, actor }, isTrashed }: Clearing,
  attribute: Attribute,
  targetIds: readonly string[],
): Promise<readonly ClearedReference[]> {
  const { number } = attribute
  const { table } = entityTypeOf(model, attribute)
  const [object, record] = [targetObjectColumn(attribute), targetColumn(attribute)]
  const since = activeFromSql('entry', 'created_at')
  const value = `jsonb_build_object('target_object', target_object, 'target_record_id', target_record_id)`
  const position = (id: string) => `array_position($1::uuid[], ${id})`
  const isKept = targetIds.length > 1 ? `and ${position('id')} < ${position(record)} is not true` : ''
  const gone = `
    select id, created_at, created_by, ${object} as target_object, ${record} as target_record_id,
      ${provenanceSql('provenance', number, '0')} as entry
    from ${table} where ${record} = any($1::uuid[]) ${isKept}`
  // Two writes of one statement that read the same rows would reach all nodes of Citus. The first one locks the entities.
  const ended = `
    with gone as materialized (${gone} order by id for no key update)
    insert into ${model.schema}.history (entity_id, attribute, active_from, active_until, actor, mirrored, value)
    select id, ${number}, ${since}, greatest($2::timestamptz, ${since} + interval '1 microsecond'),
      ${actorSql('entry', 'created_by')}, ${writtenFromOtherSideSql('entry')}, ${value} from gone`
  const [ids, at] = [renderArray(targetIds), timestampFromMicros(now)]
  const { count } = await tx.unsafe(ended, [ids, at], prepareOptions(ended))
  if (count === 0) return []
  if (isTrashed) {
    const trashed = `with gone as materialized (${gone}) ${insertReferences(model, attribute, 'gone')}`
    await tx.unsafe(trashed, [ids], prepareOptions(trashed))
  }
  const cleared = `
    with gone as materialized (${gone})
    update ${table} h
    set ${object} = null, ${record} = null, provenance = nullif(h.provenance - '${number}', '{}'::jsonb),
      version = version + 1, updated_at = $2, updated_by = $3
    from gone where h.id = gone.id returning h.id, gone.target_record_id`
  return tx.unsafe<ClearedReference[]>(cleared, [ids, at, actor], prepareOptions(cleared))
}

/** An entity that referred to a deleted record. */
export interface ClearedReference {
  readonly id: string
  readonly target_record_id: string
}

interface Clearing {
  readonly model: DataModel
  readonly stamp: Stamp
  readonly isTrashed: boolean
}

/** Replaces the references of an attribute with one value to any of `ids` with references to `newId`. Nothing ends. */
export async function redirectReferences(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  { ids, newId }: Redirection,
  { now, actor }: Stamp,
): Promise<void> {
  const column = targetColumn(attribute)
  await tx.unsafe(
    `update ${entityTypeOf(model, attribute).table} set ${column} = $1, version = version + 1, updated_at = $3, updated_by = $4
     where ${column} = any($2::uuid[])`,
    [newId, renderArray(ids), timestampFromMicros(now), actor],
  )
}

/** The same for the ended references of an attribute. */
export async function redirectEndedReferences(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  { ids, newId }: Redirection,
): Promise<void> {
  await tx.unsafe(
    `update ${model.schema}.history set value = jsonb_set(value, '{target_record_id}', to_jsonb($1::text))
     where attribute = $2 and value ? 'target_record_id' and value->>'target_record_id' = any($3::text[])`,
    [newId, attribute.number, renderArray(ids)],
  )
}

/** From which records references move, and to which. */
export interface Redirection {
  readonly ids: readonly string[]
  readonly newId: string
}
