/** Resolves the attributes of aggregates and groups. See docs/reference/query.md (Aggregates). */

import type { SqlType } from '#engine/attribute-types/define'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { noNumbers, noSteps, notGroupable, splitWithoutGroups, withoutAttribute } from '#base/errors/queries'
import { unknownAttributeKey } from '#base/errors/records'
import type { PeriodUnit } from '#vocabulary/relative-periods'
import { getSearchable } from '#engine/query/resolve/resolve-path'
import type { AggregateBody, AggregateFunction, GroupInput } from './schemas'

/** A count of entities needs no attribute. */
export type Aggregate =
  | { readonly function: 'count'; readonly attribute: Attribute | undefined }
  | { readonly function: Exclude<AggregateFunction, 'count'>; readonly attribute: Attribute }

/** What tells the groups of entities apart. */
export interface Grouping {
  readonly attribute: Attribute
  /** The members of a value that are equal within a group. */
  readonly members: readonly string[]
  /** Whether `members` are all members of a value. */
  readonly isWhole: boolean
  /** The length of the periods; undefined for groups that are no times. */
  readonly step: PeriodUnit | undefined
}

export interface Aggregation {
  readonly aggregates: readonly Aggregate[]
  readonly groupBy: Grouping | undefined
  /** Undefined without `groupBy`. */
  readonly splitBy: Grouping | undefined
}

const OF_NUMBERS: ReadonlySet<AggregateFunction> = new Set<AggregateFunction>(['sum', 'average', 'min', 'max'])

/** Columns of other types hold no amounts: whole numbers are those of options and actors. */
const NUMBER_COLUMNS: ReadonlySet<SqlType | undefined> = new Set<SqlType>(['numeric', 'double precision'])

const TIME_COLUMNS: ReadonlySet<SqlType | undefined> = new Set<SqlType>(['date', 'timestamptz'])

/** Throws 400 for an unknown attribute, one without numbers, and one that has no groups. */
export function resolveAggregation(
  model: DataModel,
  entityType: EntityType,
  { aggregates = [], group_by: groupBy, split_by: splitBy }: AggregateBody,
): Aggregation {
  if (splitBy !== undefined && groupBy === undefined) throw splitWithoutGroups()
  const find = (name: string) =>
    getSearchable(model, entityType, name, (didYouMean) => unknownAttributeKey(name, didYouMean))
  return {
    aggregates: aggregates.map(({ attribute: name, function: fn }) => {
      if (fn === 'count') return { function: fn, attribute: name === undefined ? undefined : find(name) }
      if (name === undefined) throw withoutAttribute(fn)
      const attribute = find(name)
      if (OF_NUMBERS.has(fn) && numberMember(attribute) === undefined) throw noNumbers(attribute.api_slug, fn)
      return { function: fn, attribute }
    }),
    groupBy: groupBy === undefined ? undefined : resolveGrouping(groupBy, 'group_by', find),
    splitBy: splitBy === undefined ? undefined : resolveGrouping(splitBy, 'split_by', find),
  }
}

/** The member of a value that is a number; undefined for attributes without one. */
export function numberMember({ type, is_multiselect }: Attribute): string | undefined {
  const { defaultProperty, properties, columns } = attributeType(type)
  const property = properties[defaultProperty ?? '']
  if (is_multiselect || property?.source !== 'column') return undefined
  return NUMBER_COLUMNS.has(columns[property.column]) ? property.column : undefined
}

/** Whether its groups are periods. */
export function isTimeAttribute({ type }: Attribute): boolean {
  const { groupedBy, columns } = attributeType(type)
  return groupedBy !== undefined && TIME_COLUMNS.has(columns[groupedBy])
}

type Member = 'group_by' | 'split_by'

function resolveGrouping(input: GroupInput, member: Member, find: (name: string) => Attribute): Grouping {
  const { attribute: name, step } = typeof input === 'string' ? { attribute: input } : input
  const attribute = find(name)
  const { groupedBy, resolve } = attributeType(attribute.type)
  if (attribute.stored_in === 'partner') throw notGroupable(attribute.api_slug, member)
  const isTime = isTimeAttribute(attribute)
  if (step !== undefined && !isTime) throw noSteps(attribute.api_slug, member)
  if (groupedBy !== undefined && !isOwnId(attribute))
    return { attribute, members: [groupedBy], isWhole: false, step: isTime ? (step ?? 'day') : undefined }
  if (resolve === undefined) throw notGroupable(attribute.api_slug, member)
  return { attribute, members: membersOf(attribute), isWhole: true, step: undefined }
}

/** The members of a value that have a column. */
const membersOf = (attribute: Attribute): readonly string[] =>
  columnsOf(attribute).flatMap(({ member, name }) => (name === null ? [] : [member]))

/** Each entity would be a group of its own. */
const isOwnId = (attribute: Attribute): boolean => columnsOf(attribute).some(({ name }) => name === 'id')
