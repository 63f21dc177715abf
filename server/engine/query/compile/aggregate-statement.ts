/** Compiles the statements of aggregates: one row over all entities that meet a condition, and one row for each group. */

import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { compileCondition } from './compile-condition'
import type { QueryStatement } from './page-statement'
import { createStatementBuilder, type StatementBuilder } from './statement-builder'
import { elementAccessor, singleValueAccessor } from './value-accessor'
import type { Condition } from '#engine/query/resolve/condition'
import { type Aggregate, numberMember } from '#engine/query/aggregate/resolve-aggregates'

const ENTITY_ALIAS = 'h'

const SQL_FUNCTIONS = { sum: 'sum', average: 'avg', min: 'min', max: 'max' } as const

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

function aggregateSql(builder: StatementBuilder, { function: fn, attribute }: Aggregate): string {
  if (fn === 'count') return 'count(*)::text'
  if (fn === 'filled' || fn === 'empty') {
    const present: Condition = { kind: 'value', attribute, comparisons: [{ kind: 'present', property: null }] }
    const isPresent = `(${compileCondition(builder, present, ENTITY_ALIAS)})`
    return `(count(*) filter (where ${isPresent} is ${fn === 'filled' ? 'true' : 'not true'}))::text`
  }
  const column = singleValueAccessor(attribute, ENTITY_ALIAS).column(numberMember(attribute) ?? '')
  // Sums of double precision would show the errors of binary fractions.
  return `${SQL_FUNCTIONS[fn]}(${column}::numeric)::text`
}

/** The names of the columns of a group, which are the members of its value. */
export const groupMembers = (attribute: Attribute): readonly string[] =>
  columnsOf(attribute).flatMap(({ member, name }) => (name === null ? [] : [member]))

/** The rows have the members of the value and the count. An entity with several values is in several groups. */
export function compileGroups(
  model: DataModel,
  entityType: EntityType,
  condition: Condition,
  { attribute, limit }: { readonly attribute: Attribute; readonly limit: number },
): QueryStatement {
  const builder = createStatementBuilder(model)
  const members = groupMembers(attribute)
  const { columns, join } = groupSource(attribute, members)
  const where = compileCondition(builder, condition, ENTITY_ALIAS)
  const keys = members.map((_, index) => index + 1).join(', ')
  const text = [
    `select ${[...columns, 'count(*)'].join(', ')} from ${entityType.table} ${ENTITY_ALIAS}${join}`,
    `where ${where}`,
    `group by ${keys}`,
    `order by count(*) desc, ${keys}`,
    `limit ${limit}`,
  ].join('\n')
  return { text, parameters: builder.parameters }
}

function groupSource(attribute: Attribute, members: readonly string[]) {
  if (!attribute.is_multiselect) {
    const accessor = singleValueAccessor(attribute, ENTITY_ALIAS)
    return { columns: members.map((member) => accessor.column(member) ?? 'null'), join: '' }
  }
  const accessor = elementAccessor(attribute, ENTITY_ALIAS, 'e')
  const elements = members.map((member) => `${accessor.column(member)} as ${member}`).join(', ')
  const join = `\nleft join lateral (select distinct ${elements} from ${accessor.from()}) g on true`
  return { columns: members.map((member) => `g.${member}`), join }
}
