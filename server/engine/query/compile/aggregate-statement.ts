/** Compiles the statements of aggregates: one row over all entities that meet a condition, and one row for each group. */

import type { DataModel, EntityType } from '#engine/data-model/model'
import { attributeType } from '#engine/attribute-types/registry'
import { compileCondition } from './compile-condition'
import type { QueryStatement } from './page-statement'
import { createStatementBuilder, scalarSql, type StatementBuilder } from './statement-builder'
import { elementAccessor, singleValueAccessor, type ValueAccessor } from './value-accessor'
import type { Condition } from '#engine/query/resolve/condition'
import { type Aggregate, type Grouping, numberMember } from '#engine/query/aggregate/resolve-aggregates'

const ENTITY_ALIAS = 'h'

const SQL_FUNCTIONS = { sum: 'sum', average: 'avg', min: 'min', max: 'max' } as const

/** Longer texts are in the group of their first characters. */
export const MAX_GROUP_TEXT = 255

/** The row has the count of the entities, then each aggregate as text. */
export function compileAggregates(
  model: DataModel,
  entityType: EntityType,
  condition: Condition,
  aggregates: readonly Aggregate[],
): QueryStatement {
  const builder = createStatementBuilder(model)
  const columns = aggregates.map((aggregate) => aggregateSql(builder, aggregate))
  const where = compileCondition(builder, condition, ENTITY_ALIAS)
  const text = `select ${['count(*)', ...columns].join(', ')} from ${entityType.table} ${ENTITY_ALIAS}\nwhere ${where}`
  return { text, parameters: builder.parameters }
}

function aggregateSql(builder: StatementBuilder, aggregate: Aggregate): string {
  if (aggregate.function === 'count') return 'count(*)::text'
  const { function: fn, attribute } = aggregate
  if (fn === 'filled' || fn === 'empty') {
    const present: Condition = { kind: 'value', attribute, comparisons: [{ kind: 'present', property: null }] }
    const isPresent = `(${compileCondition(builder, present, ENTITY_ALIAS)})`
    return `(count(*) filter (where ${isPresent} is ${fn === 'filled' ? 'true' : 'not true'}))::text`
  }
  const column = singleValueAccessor(attribute, ENTITY_ALIAS).column(numberMember(attribute) ?? '')
  // Sums of double precision would show the errors of binary fractions.
  return `${SQL_FUNCTIONS[fn]}(${column}::numeric)::text`
}

interface Groups {
  readonly groupings: readonly [Grouping, ...Grouping[]]
  readonly aggregates: readonly Aggregate[]
  /** Of steps. */
  readonly timeZone: string
  readonly limit: number
}

/**
 * The rows have the members of each grouping, the count, and the aggregates as text. The largest groups come first; of groups of
 * times, the latest. An entity with several values is in several groups.
 */
export function compileGroups(
  model: DataModel,
  entityType: EntityType,
  condition: Condition,
  { groupings, aggregates, timeZone, limit }: Groups,
): QueryStatement {
  const builder = createStatementBuilder(model)
  const sources = groupings.map((grouping, index) => groupSource(builder, grouping, { index, timeZone }))
  const columns = sources.flatMap((source) => source.columns)
  const keys = columns.map((_, index) => `key_${index}`)
  const values = aggregates.map((aggregate) => aggregateSql(builder, aggregate))
  const where = compileCondition(builder, condition, ENTITY_ALIAS)
  const order = [...(groupings[0].step === undefined ? [] : ['key_0 desc nulls first']), 'count(*) desc', ...keys]
  const text = [
    `select ${[...keys, 'count(*)', ...values].join(', ')}`,
    `from (select ${ENTITY_ALIAS}.*, ${columns.map((column, index) => `${column} as ${keys[index]}`).join(', ')}`,
    `from ${entityType.table} ${ENTITY_ALIAS}`,
    ...sources.flatMap(({ join }) => join ?? []),
    `where ${where}${groupings.some(({ step }) => step !== undefined) ? ASSUME_FEW_KEYS : ''}) ${ENTITY_ALIAS}`,
    `group by ${keys.join(', ')}`,
    `order by ${order.join(', ')}`,
    `limit ${limit}`,
  ].join('\n')
  return { text, parameters: builder.parameters }
}

/**
 * PostgreSQL takes the number of months for that of different instants, and sorts all rows to group them. It assumes 200 groups for
 * columns of a subquery that it does not merge with the query around it.
 */
const ASSUME_FEW_KEYS = '\noffset 0'

interface Source {
  readonly index: number
  readonly timeZone: string
}

/** The columns of the keys of a grouping, and the join that has the values of a multiselect attribute. */
function groupSource(builder: StatementBuilder, grouping: Grouping, { index, timeZone }: Source) {
  const { attribute, members } = grouping
  const keySql = (accessor: ValueAccessor, member: string) =>
    groupKeySql(builder, grouping, { accessor, member, timeZone })
  if (!attribute.is_multiselect) {
    const accessor = singleValueAccessor(attribute, ENTITY_ALIAS)
    return { columns: members.map((member) => keySql(accessor, member)), join: undefined }
  }
  const accessor = elementAccessor(attribute, ENTITY_ALIAS, `e${index}`)
  const elements = members.map((member) => `${keySql(accessor, member)} as ${member}`).join(', ')
  const join = `left join lateral (select distinct ${elements} from ${accessor.from()}) g${index} on true`
  return { columns: members.map((member) => `g${index}.${member}`), join }
}

interface Key {
  readonly accessor: ValueAccessor
  readonly member: string
  readonly timeZone: string
}

/** A text, the first day of a period, or the content of the column. */
function groupKeySql(
  builder: StatementBuilder,
  { attribute, isWhole, step }: Grouping,
  { accessor, member, timeZone }: Key,
): string {
  const column = accessor.column(member) ?? 'null'
  if (isWhole) return column
  const sqlType = accessor.typeOf(member)
  if (step !== undefined) {
    const local =
      sqlType === 'date' ? `${column}::timestamp` : `(${column} at time zone ${builder.bind(timeZone, 'text')})`
    return `${step === 'day' ? local : `date_trunc('${step}', ${local})`}::date`
  }
  if (sqlType === 'text') return `left(${column}, ${MAX_GROUP_TEXT})`
  const property = attributeType(attribute.type).properties[member]
  const absent = property?.source === 'column' ? property.absentAs : undefined
  return absent === undefined ? column : `coalesce(${column}, ${scalarSql(builder, absent, sqlType)})`
}
