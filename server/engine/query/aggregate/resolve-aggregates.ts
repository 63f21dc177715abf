/** Resolves the attributes of aggregates. See docs/reference/query.md (Aggregates). */

import type { SqlType } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { noNumbers, notGroupable } from '#base/errors/queries'
import { unknownAttributeKey } from '#base/errors/records'
import { getSearchable } from '#engine/query/resolve/resolve-path'
import type { AggregateBody, AggregateFunction } from './schemas'

export interface Aggregate {
  readonly function: AggregateFunction
  readonly attribute: Attribute
}

export interface Aggregation {
  readonly aggregates: readonly Aggregate[]
  readonly groupBy: Attribute | undefined
}

const OF_NUMBERS: ReadonlySet<AggregateFunction> = new Set<AggregateFunction>(['sum', 'average', 'min', 'max'])

/** Columns of other types hold no amounts: whole numbers are those of options and actors. */
const NUMBER_COLUMNS: ReadonlySet<SqlType | undefined> = new Set<SqlType>(['numeric', 'double precision'])

/** Throws 400 for an unknown attribute, one without numbers, and one that has no groups. */
export function resolveAggregation(
  model: DataModel,
  entityType: EntityType,
  { aggregates = [], group_by: groupBy }: AggregateBody,
): Aggregation {
  const find = (name: string) =>
    getSearchable(model, entityType, name, (didYouMean) => unknownAttributeKey(name, didYouMean))
  return {
    aggregates: aggregates.map(({ attribute: name, function: fn }) => {
      const attribute = find(name)
      if (OF_NUMBERS.has(fn) && numberMember(attribute) === undefined) throw noNumbers(attribute.api_slug, fn)
      return { function: fn, attribute }
    }),
    groupBy: groupBy === undefined ? undefined : requireGroupable(find(groupBy)),
  }
}

/** The member of a value that is a number; undefined for attributes without one. */
export function numberMember({ type, is_multiselect }: Attribute): string | undefined {
  const { defaultProperty, properties, columns } = attributeType(type)
  const property = properties[defaultProperty ?? '']
  if (is_multiselect || property?.source !== 'column') return undefined
  return NUMBER_COLUMNS.has(columns[property.column]) ? property.column : undefined
}

/** Values that refer to something repeat. The derived side of a relationship stores none. */
function requireGroupable(attribute: Attribute): Attribute {
  const isGroupable = attributeType(attribute.type).resolve !== undefined && attribute.stored_in !== 'partner'
  if (!isGroupable) throw notGroupable(attribute.api_slug)
  return attribute
}
