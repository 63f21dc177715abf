/** Follows references in SQL, from the side of a relationship that stores them and from the derived side. */

import { columnsOf } from '../../attribute-types/definition/columns'
import { enabledObjects, entityTypeOf, otherSideOf } from '../../data-model/find'
import type { Attribute, DataModel, ObjectType, EntityType } from '../../data-model/model'

/** The column of an attribute's own table that holds the ids of the records it refers to. */
export function targetColumn(attribute: Attribute): string {
  const column = columnsOf(attribute).find(({ member }) => member === 'target_record_id')
  if (!column || column.name === null) throw new Error(`Attribute ${attribute.id} stores no references.`)
  return column.name
}

/** The attribute that stores the references of a derived side, and its entity type. */
export interface Partner {
  readonly attribute: Attribute
  readonly entityType: EntityType
}

export function getPartner(model: DataModel, derived: Attribute): Partner {
  const attribute = otherSideOf(model, derived)
  if (!attribute) throw new Error(`Attribute ${derived.id} is derived from a partner that does not exist.`)
  return { attribute, entityType: entityTypeOf(model, attribute) }
}

/** SQL that holds for entities that a record of the partner, called `record`, refers to and that meet `condition`. */
export function referredBy(
  { attribute, entityType }: Partner,
  alias: string,
  record: string,
  condition: string,
): string {
  const column = `${record}.${targetColumn(attribute)}`
  const ids = attribute.is_multiselect ? `unnest(${column})` : column
  return `${alias}.id in (select ${ids} from ${entityType.table} ${record} where ${column} is not null and ${condition})`
}

/** The SQL of the id of the record that the first value refers to. The attribute stores its references. */
export function firstTarget(attribute: Attribute, alias: string): string {
  const column = `${alias}.${targetColumn(attribute)}`
  return attribute.is_multiselect ? `${column}[1]` : column
}

/**
 * Joins the first record of the derived side: the one with the highest rank, or else the newest. Reads
 * provenance in the form that `storage/provenance.ts` defines.
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

/** The objects to whose records an attribute can refer. */
export function possibleTargets(model: DataModel, { config }: Attribute): ObjectType[] {
  const allowed = config.record_reference?.allowed_object_ids ?? []
  return enabledObjects(model).filter(({ id }) => allowed.length === 0 || allowed.includes(id))
}
