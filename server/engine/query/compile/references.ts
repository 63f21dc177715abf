/** Follows references in SQL, from the side of a relationship that stores them and from the derived side. */

import { allowsObject, recordTypes } from '#engine/data-model/find'
import type { Attribute, DataModel, RecordType } from '#engine/data-model/model'
import { microsSql, provenanceSql, rankSql } from '#engine/storage/provenance'
import type { Step } from '#engine/query/resolve/condition'
import { getPartner, type Partner, targetColumn } from '#engine/storage/layout'
import type { StatementBuilder } from './statement-builder'
import { firstVisible } from './value-accessor'

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
function firstTarget(attribute: Attribute, alias: string): string {
  const column = `${alias}.${targetColumn(attribute)}`
  if (!attribute.is_multiselect) return column
  return attribute.hiddenTargets === undefined ? `${column}[1]` : firstVisible(attribute, alias, column)
}

/** A join of the record that is first on the derived side: the one with the highest rank. */
function firstReferring({ attribute, entityType }: Partner, alias: string, record: string): string {
  const column = `d.${targetColumn(attribute)}`
  const refers = attribute.is_multiselect ? `${column} @> array[${alias}.id]` : `${column} = ${alias}.id`
  const index = attribute.is_multiselect ? `(array_position(${column}, ${alias}.id) - 1)` : '0'
  const rank = rankSql(provenanceSql('d.provenance', attribute.number, index), microsSql('d.created_at'))
  const first = `select * from ${entityType.table} d where ${refers} order by ${rank} desc, d.id desc limit 1`
  return `left join lateral (${first}) ${record} on true`
}

/** Collects the joins of a statement. An inner join leaves out entities without a reference. */
export interface JoinCollector {
  readonly joins: string[]
  readonly joinType: 'left join' | 'join'
}

/** Joins the record that the first value of a reference names, and returns its alias. */
export function joinTarget(
  builder: StatementBuilder,
  { attribute, target }: Step,
  from: string,
  { joins, joinType }: JoinCollector,
): string {
  const record = builder.alias('t')
  if (attribute.stored_in === 'partner') joins.push(firstReferring(getPartner(builder.model, attribute), from, record))
  else joins.push(`${joinType} ${target.table} ${record} on ${record}.id = ${firstTarget(attribute, from)}`)
  return record
}

/** The objects and activities to whose records an attribute can refer. */
export const possibleTargets = (model: DataModel, attribute: Attribute): RecordType[] =>
  recordTypes(model).filter((target) => allowsObject(attribute, target))
