/**
 * Compiles sorts to the order of a statement. Missing values come last in both directions.
 * See docs/reference/query.md (Sorts).
 */

import type { Property, SqlType } from '#engine/attribute-types/define'
import { type Attribute, type DataModel, type EntityType, hasRecords } from '#engine/data-model/model'
import { positionIn, textSortKey } from '#engine/indexes/expressions'
import { propertySql, propertyType } from './compile-comparison'
import { all, any, scalarSql, type StatementBuilder } from './statement-builder'
import { labelSql } from './label'
import { firstValueAccessor, referringRecordAccessor, type ValueAccessor } from './value-accessor'
import { getPartner } from '#engine/storage/layout'
import { type JoinCollector, joinTarget, possibleTargets } from './references'
import type { Sort } from '#engine/query/resolve/resolve-query'

/** One expression of an `order by`. */
export interface OrderKey {
  readonly sql: string
  readonly type: SqlType
  readonly direction: 'asc' | 'desc'
  /** Whether the expression may be null. Without `nulls last`, an index serves both directions. */
  readonly nullable: boolean
}

export interface Order {
  /** The keys of the sorts, then creation time and id, so that the order of any two rows is defined. */
  readonly keys: readonly OrderKey[]
  /** The joins that the keys need. Each joins at most one row to an entity. */
  readonly joins: readonly string[]
  /** The condition that rows in this order meet; absent when the order includes all rows. */
  readonly condition?: string
}

/** `alias` is the alias of the entity's row. */
export function compileOrder(builder: StatementBuilder, sorts: readonly Sort[], alias: string): Order {
  const collector: JoinCollector = { joins: [], joinType: 'left join' }
  const keys = sorts.flatMap((sort) => compileSort(builder, sort, alias, collector))
  return { keys: [...keys, ...lastKeys(alias)], joins: collector.joins }
}

/** The same order, without the entities that lack the value of the first sort. Those come last in both directions. */
export function compileOrderOfPresent(
  builder: StatementBuilder,
  [first, ...others]: readonly Sort[],
  alias: string,
): Order {
  if (!first) throw new Error('An order of present values needs a sort.')
  const innerJoins: JoinCollector = { joins: [], joinType: 'join' }
  const [key, ...remainders] = compileSort(builder, first, alias, innerJoins)
  if (!key) throw new Error(`Attribute ${first.attribute.id} has no order keys.`)
  const rest = compileOrder(builder, others, alias)
  return {
    keys: [{ ...key, nullable: false }, ...remainders, ...rest.keys],
    joins: [...innerJoins.joins, ...rest.joins],
    condition: `${key.sql} is not null`,
  }
}

const lastKeys = (alias: string): OrderKey[] => [
  { sql: `${alias}.created_at`, type: 'timestamptz', direction: 'asc', nullable: false },
  { sql: `${alias}.id`, type: 'uuid', direction: 'asc', nullable: false },
]

function compileSort(builder: StatementBuilder, sort: Sort, alias: string, collector: JoinCollector): OrderKey[] {
  const { steps, attribute, property, direction } = sort
  const entity = steps.reduce((from, step) => joinTarget(builder, step, from, collector), alias)
  if (property === null) {
    return [
      {
        sql: textSortKey(labelOfTarget(builder, attribute, entity, collector)),
        type: 'text',
        direction,
        nullable: true,
      },
    ]
  }
  const accessor = accessFirstValue(builder, attribute, entity, collector)
  const nullable = steps.length > 0 || attribute.stored_in !== 'entity' || isRankedProperty(property)
  return keyExpressions(builder.model, attribute, property, accessor).map((key) => ({ ...key, direction, nullable }))
}

/** The label of the record that the first value refers to. It may be a record of several objects. */
function labelOfTarget(
  builder: StatementBuilder,
  attribute: Attribute,
  from: string,
  collector: JoinCollector,
): string {
  const labels = possibleTargets(builder.model, attribute).map((target) =>
    labelSql(target, joinTarget(builder, { attribute, target }, from, collector)),
  )
  const [first = 'null::text', ...others] = labels
  return others.length === 0 ? first : `coalesce(${labels.join(', ')})`
}

function accessFirstValue(
  builder: StatementBuilder,
  attribute: Attribute,
  from: string,
  collector: JoinCollector,
): ValueAccessor {
  if (attribute.stored_in !== 'partner') return firstValueAccessor(attribute, from, builder.clock)
  const { entityType } = getPartner(builder.model, attribute)
  const record = joinTarget(builder, { attribute, target: asRecordType(entityType) }, from, collector)
  return referringRecordAccessor(entityType.number, record)
}

function asRecordType(entityType: EntityType) {
  if (hasRecords(entityType)) return entityType
  throw new Error(`Relationships are between objects and activities, and ${entityType.id} is a list.`)
}

type KeyExpression = Pick<OrderKey, 'sql' | 'type'>

function keyExpressions(
  model: DataModel,
  attribute: Attribute,
  property: Property,
  accessor: ValueAccessor,
): KeyExpression[] {
  const sql = propertySql(property, accessor)
  if (sql === null) return []
  if (isRankedProperty(property)) {
    return [{ sql: positionIn(property.ranked(attribute, model), sql), type: 'int' }]
  }
  const sqlType = propertyType(property, accessor)
  const key = { sql: sqlType === 'text' ? textSortKey(sql) : sql, type: sqlType }
  const remainder = property.source === 'column' && property.remainder ? accessor.column(property.remainder) : null
  return remainder === null ? [key] : [key, { sql: `coalesce(${remainder}, 0)`, type: 'smallint' }]
}

// Key-set pagination: selects the rows after a given row of the order, also when rows were inserted or deleted meanwhile.
// See docs/reference/query.md (Pages).

/** The order keys of a row, as texts that a cursor carries. */
export type KeyTexts = readonly (string | null)[]

/** SQL that holds for the rows after the row with these keys. */
export function isAfter(builder: StatementBuilder, keys: readonly OrderKey[], last: KeyTexts): string {
  // The last two keys, creation time and id, are never null and ascend. An index finds a pair of them.
  const sorts = keys.slice(0, -2)
  const pairs = keys.slice(-2).map((key, index) => ({ key, text: last[sorts.length + index] ?? null }))
  const left = pairs.map(({ key }) => key.sql).join(', ')
  const right = pairs.map(({ key, text }) => keySql(builder, key, text)).join(', ')
  return sorts.reduceRight((rest, key, index) => {
    const text = last[index] ?? null
    return any([isBeyond(builder, key, text), all([isSame(builder, key, text), rest])])
  }, `(${left}) > (${right})`)
}

/** No value comes after a missing one, which is last in both directions. */
function isBeyond(builder: StatementBuilder, key: OrderKey, text: string | null): string {
  if (text === null) return 'false'
  const beyond = `${key.sql} ${key.direction === 'asc' ? '>' : '<'} ${keySql(builder, key, text)}`
  return key.nullable ? any([beyond, `${key.sql} is null`]) : beyond
}

const isSame = (builder: StatementBuilder, key: OrderKey, text: string | null): string =>
  text === null ? `${key.sql} is null` : `${key.sql} = ${keySql(builder, key, text)}`

const keySql = (builder: StatementBuilder, { type }: OrderKey, text: string | null): string =>
  scalarSql(builder, type === 'boolean' ? text === 'true' : text, type)

/** Properties that sort by the rank of the option or member whose number the column holds. */
type RankedProperty = Exclude<Property, { source: 'active_from' }> & {
  readonly ranked: (attribute: Attribute, model: DataModel) => readonly number[]
}

export const isRankedProperty = (property: Property): property is RankedProperty =>
  property.source !== 'active_from' && property.ranked !== undefined
