/** Following references in SQL, whichever side of a relationship they are stored on. */

import { columnsOf } from '../../attribute-types/definition/columns'
import { enabledObjects, entityTypeOf, otherSideOf } from '../../data-model/find'
import type { Attribute, DataModel, ObjectType, EntityType } from '../../data-model/model'

/** The column of an attribute's own table that holds the ids of the records it refers to. */
export function targetColumn(attribute: Attribute): string {
  const column = columnsOf(attribute).find(({ member }) => member === 'target_record_id')
  if (!column || column.name === null) throw new Error(`Attribute ${attribute.id} holds no references.`)
  return column.name
}

/** The attribute that holds the references of a derived side, and its table. */
export interface Partner {
  readonly attribute: Attribute
  readonly entityType: EntityType
}

export function getPartner(model: DataModel, derived: Attribute): Partner {
  const attribute = otherSideOf(model, derived)
  if (!attribute) throw new Error(`Attribute ${derived.id} is derived from a partner that does not exist.`)
  return { attribute, entityType: entityTypeOf(model, attribute) }
}

/** SQL for the ids of entities called `alias` that are referred to by `rows` of the partner that meet `condition`. */
export function referredBy({ attribute, entityType }: Partner, alias: string, rows: string, condition: string): string {
  const column = `${rows}.${targetColumn(attribute)}`
  const ids = attribute.is_multiselect ? `unnest(${column})` : column
  return `${alias}.id in (select ${ids} from ${entityType.table} ${rows} where ${column} is not null and ${condition})`
}

/** SQL for the record that the first value of an attribute stored in columns refers to. */
export function firstTarget(attribute: Attribute, alias: string): string {
  const column = `${alias}.${targetColumn(attribute)}`
  return attribute.is_multiselect ? `${column}[1]` : column
}

/**
 * A join of the record that stands first on the derived side: the newest, unless it has a place of its own. Reads
 * provenance as `values/versions.ts` writes it.
 */
export function firstReferring({ attribute, entityType }: Partner, alias: string, record: string): string {
  const column = `d.${targetColumn(attribute)}`
  const refers = attribute.is_multiselect ? `${column} @> array[${alias}.id]` : `${column} = ${alias}.id`
  const index = attribute.is_multiselect ? `(array_position(${column}, ${alias}.id) - 1)` : '0'
  const entry = `d.provenance->'${attribute.number}'->${index}`
  const created = '(extract(epoch from d.created_at) * 1000000)::bigint'
  const rank = `coalesce((${entry}->>3)::bigint, (${entry}->>0)::bigint, ${created})`
  const first = `select * from ${entityType.table} d where ${refers} order by ${rank} desc, d.id desc limit 1`
  return `left join lateral (${first}) ${record} on true`
}

/** The objects an attribute can refer to. */
export function possibleTargets(model: DataModel, { config }: Attribute): ObjectType[] {
  const allowed = config.record_reference?.allowed_object_ids ?? []
  return enabledObjects(model).filter(({ id }) => allowed.length === 0 || allowed.includes(id))
}
