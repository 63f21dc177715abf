/** Following references in SQL, whichever side of a relationship they are stored on. */

import { enabledObjects } from '../../data-model/find'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import { microsSql, provenanceSql, rankSql } from '../../storage/provenance'
import { type Partner, targetColumn } from '../../storage/references'

export { getPartner, targetColumn } from '../../storage/references'

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

/** A join of the record that is first on the derived side: the one with the highest rank. */
export function firstReferring({ attribute, entityType }: Partner, alias: string, record: string): string {
  const column = `d.${targetColumn(attribute)}`
  const refers = attribute.is_multiselect ? `${column} @> array[${alias}.id]` : `${column} = ${alias}.id`
  const index = attribute.is_multiselect ? `(array_position(${column}, ${alias}.id) - 1)` : '0'
  const rank = rankSql(provenanceSql('d.provenance', attribute.number, index), microsSql('d.created_at'))
  const first = `select * from ${entityType.table} d where ${refers} order by ${rank} desc, d.id desc limit 1`
  return `left join lateral (${first}) ${record} on true`
}

/** The objects an attribute can refer to. */
export function possibleTargets(model: DataModel, { config }: Attribute): ObjectType[] {
  const allowed = config.record_reference?.allowed_object_ids ?? []
  return enabledObjects(model).filter(({ id }) => allowed.length === 0 || allowed.includes(id))
}
