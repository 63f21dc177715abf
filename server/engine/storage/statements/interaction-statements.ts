/** The records of activities that are interactions of people and companies, and the records to which those refer. */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { InteractionType } from '#engine/attribute-types/interaction'
import { columnName } from '#engine/attribute-types/definition/columns'
import { allowsObject } from '#engine/data-model/find'
import type { ActivityType, Attribute, DataModel, EntityType, ObjectType } from '#engine/data-model/model'
import { getPartner, targetColumn, targetObjectColumn } from '#engine/storage/layout'
import { refersSql } from './reference-statements'

/** An activity whose records are interactions. */
export interface InteractionActivity {
  readonly activity: ActivityType
  readonly timestamp: Attribute
  readonly owner: Attribute
  /** The select attribute that says what a record counts as. */
  readonly kind?: Attribute
  /** What a record with this option of `kind` counts as. */
  readonly typeOf: (option: number | null) => InteractionType
  /** Its attributes that refer to records. */
  readonly references: readonly Attribute[]
}

/** The references of the activities that can refer to records of the object. */
const referencesTo = (model: DataModel, activities: readonly InteractionActivity[], object: ObjectType) =>
  activities.flatMap((each) =>
    each.references
      .filter((reference) => allowsObject(reference, object))
      .map((reference) => ({ ...each, refers: refersSql(model, reference, 'h', 'k.id') })),
  )

/** A record of an activity that refers to the record `key`. */
export interface InteractionRecord {
  readonly key: string
  readonly id: string
  readonly interactionType: InteractionType
  readonly at: Micros
  /** The number of the actor; null without an owner. */
  readonly owner: number | null
}

interface InteractionRow {
  readonly source: number
  readonly key: string
  readonly id: string
  readonly at: string
  readonly owner: number | null
  readonly option: number | null
}

/** Records of one object, and the activities that may refer to them. */
interface Search {
  readonly activities: readonly InteractionActivity[]
  readonly object: ObjectType
  readonly ids: readonly string[]
}

/**
 * For each record and each attribute that refers to it: the first record of an activity, the newest ones until `now`, and the next
 * one.
 */
export async function readInteractionRecords(
  sql: Sql,
  model: DataModel,
  { activities, object, ids }: Search,
  { now, newest }: { readonly now: Micros; readonly newest: number },
): Promise<InteractionRecord[]> {
  const sources = referencesTo(model, activities, object)
  if (sources.length === 0 || ids.length === 0) return []
  const selects = sources.map(({ activity, timestamp, owner, kind, refers }, index) => {
    const range = (condition: string, order: 'asc' | 'desc', limit: number) =>
      `(select * from own where at ${condition} $2::timestamptz order by at ${order}, id ${order} limit ${limit})`
    // Without `materialized`, PostgreSQL may read the whole table in the order of the time to meet the limit.
    return `
      select ${index} as source, k.id as key, t.* from unnest($1::uuid[]) k(id), lateral (
        with own as materialized (
          select h.id, h.${columnName(timestamp, 'value')} as at, h.${columnName(owner, 'actor')} as owner,
            ${kind === undefined ? 'null::int' : `h.${columnName(kind, 'option')}`} as option
          from ${activity.table} h where ${refers})
        ${range('<=', 'asc', 1)} union all ${range('<=', 'desc', newest)} union all ${range('>', 'asc', 1)}) t`
  })
  const query = selects.join(' union all ')
  const rows = await sql.unsafe<InteractionRow[]>(
    query,
    [renderArray(ids), timestampFromMicros(now)],
    prepareOptions(query),
  )
  return rows.flatMap(({ source, key, id, at, owner, option }) => {
    const interactionType = sources[source]?.typeOf(option)
    return interactionType === undefined ? [] : [{ key, id, interactionType, at: microsFromPostgres(at), owner }]
  })
}

/** Those of the records to which a record of the activities refers. */
export async function findWithInteractions(
  sql: Sql,
  model: DataModel,
  { activities, object, ids }: Search,
): Promise<string[]> {
  const sources = referencesTo(model, activities, object)
  if (sources.length === 0 || ids.length === 0) return []
  const conditions = sources.map(({ activity, refers }) => `exists (select from ${activity.table} h where ${refers})`)
  const query = `select k.id from unnest($1::uuid[]) k(id) where ${conditions.join(' or ')}`
  const rows = await sql.unsafe<{ id: string }[]>(query, [renderArray(ids)], prepareOptions(query))
  return rows.map(({ id }) => id)
}

/** A record to which a record of an activity refers or referred. */
export interface InteractionTarget {
  /** The number of the object. */
  readonly object: number
  readonly id: string
}

/**
 * What records of an activity refer to, or referred to before, also when they are in the trash. Leaves out references that the other
 * side of a relationship stored and that ended.
 */
export async function readInteractionTargets(
  sql: Sql | Transaction,
  model: DataModel,
  { activity, references }: InteractionActivity,
  ids: readonly string[],
): Promise<InteractionTarget[]> {
  if (references.length === 0 || ids.length === 0) return []
  const query = references
    .map((reference) =>
      reference.stored_in === 'columns' ? targetsSql(model, activity, reference) : partnersSql(model, reference),
    )
    .join(' union ')
  return sql.unsafe<InteractionTarget[]>(query, [renderArray(ids)], prepareOptions(query))
}

/** The numbers of the objects and the ids of what the entities `$1` refer to by the attribute, or referred to before, also those in the trash. */
export function targetsSql(
  { schema }: DataModel,
  { table, number }: Pick<EntityType, 'table' | 'number'>,
  reference: Attribute,
): string {
  const [object, record] = [`h.${targetObjectColumn(reference)}`, `h.${targetColumn(reference)}`]
  const [from, targets] = reference.is_multiselect
    ? [`, unnest(${object}, ${record}) t(object, id)`, 't.object, t.id']
    : ['', `${object} as object, ${record} as id`]
  const ended = (value: string) => `(${value}->>'target_object')::int, (${value}->>'target_record_id')::uuid`
  return `
    select ${targets} from ${table} h${from} where h.id = any($1::uuid[]) and ${record} is not null
    union select ${targets} from ${schema}.trash r, json_populate_record(null::${table}, r.content) h${from}
      where r.id = any($1::uuid[]) and r.object = ${number} and ${record} is not null
    union select ${ended('value')} from ${schema}.history
      where entity_id = any($1::uuid[]) and attribute = ${reference.number}
    union select ${ended(`(e.value->'value')`)} from ${schema}.trash_parts p, json_array_elements(p.content) e(value)
      where p.record_id = any($1::uuid[]) and p.kind = 'history' and (e.value->>'attribute')::int = ${reference.number}`
}

function partnersSql(model: DataModel, reference: Attribute): string {
  const { attribute, entityType } = getPartner(model, reference)
  const column = targetColumn(attribute)
  const refers = attribute.is_multiselect ? `${column} && $1::uuid[]` : `${column} = any($1::uuid[])`
  return `select ${entityType.number} as object, id from ${entityType.table} where ${refers}`
}
