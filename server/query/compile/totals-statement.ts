/** Compiles the statement of the totals of a query: the number of entities, and the sum of the values of an attribute. */

import { columnName } from '../../attribute-types/definition/columns'
import { attributeType } from '../../attribute-types/registry'
import type { SqlType } from '../../attribute-types/define'
import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import type { Condition } from '../resolve/condition'
import { compileCondition } from './compile-condition'
import type { Statement } from './page-statement'
import { createStatementBuilder } from './statement-builder'

const ENTITY_ALIAS = 'h'

/** The columns whose values are amounts. Other columns of numbers hold identifiers. */
const SUMMED_TYPES: ReadonlySet<SqlType | undefined> = new Set<SqlType>(['numeric', 'double precision'])

/** The member of the values that is added; undefined for attributes without numbers. */
export function summedMember({ type, is_multiselect }: Pick<Attribute, 'type' | 'is_multiselect'>): string | undefined {
  const { defaultProperty, properties, columns } = attributeType(type)
  const property = defaultProperty === null ? undefined : properties[defaultProperty]
  if (is_multiselect || property?.source !== 'column') return undefined
  return SUMMED_TYPES.has(columns[property.column]) ? property.column : undefined
}

/** The row of the statement is the count and the sum. `attribute` has numbers. */
export function compileTotals(
  model: DataModel,
  entityType: EntityType,
  condition: Condition,
  attribute: Attribute,
): Statement {
  const builder = createStatementBuilder(model)
  const column = `${ENTITY_ALIAS}.${columnName(attribute, summedMember(attribute) ?? '')}`
  const where = compileCondition(builder, condition, ENTITY_ALIAS)
  const text = `select count(*), sum(${column})::text from ${entityType.table} ${ENTITY_ALIAS}\nwhere ${where}`
  return { text, parameters: builder.parameters }
}
