/** Resolves the attributes of aggregates and groups. See docs/reference/query.md (Aggregates). */

import type { SqlType } from '#engine/attribute-types/define'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import {
  attributeAndPath,
  groupWithoutAttribute,
  noNumbers,
  noSteps,
  notGroupable,
  splitWithoutGroups,
  withoutAttribute,
} from '#base/errors/queries'
import { unknownAttributeKey } from '#base/errors/records'
import type { PeriodUnit } from '#vocabulary/relative-periods'
import { getSearchable, type ResolvedPath, resolvePath } from '#engine/query/resolve/resolve-path'
import type { AggregateBody, AggregateFunction, PathAggregateInput, PathGroupInput } from './schemas'

/** A count of entities needs no attribute. */
export type Aggregate =
  { readonly function: 'count' } | ({ readonly function: Exclude<AggregateFunction, 'count'> } & ResolvedPath)

/** What tells the groups of entities apart. */
export interface Grouping extends ResolvedPath {
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
  const find: Find = ({ attribute, path }, at) => {
    if (attribute !== undefined && path !== undefined) throw attributeAndPath(at)
    const unknown = (name: string, _path: string[], didYouMean?: string) => unknownAttributeKey(name, didYouMean)
    if (path !== undefined) return resolvePath(model, entityType, path, [...at, 'path'], unknown)
    if (attribute === undefined) return undefined
    return {
      steps: [],
      attribute: getSearchable(model, entityType, attribute, (slug) => unknownAttributeKey(attribute, slug)),
    }
  }
  return {
    aggregates: aggregates.map(({ function: fn, ...input }, index) => {
      const found = find(input, ['aggregates', String(index)])
      if (fn === 'count') return { function: fn }
      if (found === undefined) throw withoutAttribute(fn)
      const { attribute } = found
      if (OF_NUMBERS.has(fn) && numberMember(attribute) === undefined) throw noNumbers(attribute.api_slug, fn)
      return { function: fn, ...found }
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

type Find = (input: Pick<PathAggregateInput, 'attribute' | 'path'>, at: string[]) => ResolvedPath | undefined

function resolveGrouping(input: PathGroupInput, member: Member, find: Find): Grouping {
  const { step, ...name } = typeof input === 'string' ? { attribute: input, step: undefined } : input
  const found = find(name, [member])
  if (found === undefined) throw groupWithoutAttribute(member)
  const { attribute } = found
  const { groupedBy, resolve } = attributeType(attribute.type)
  if (attribute.stored_in === 'partner') throw notGroupable(attribute.api_slug, member)
  const isTime = isTimeAttribute(attribute)
  if (step !== undefined && !isTime) throw noSteps(attribute.api_slug, member)
  if (groupedBy !== undefined && !isOwnId(attribute))
    return { ...found, members: [groupedBy], isWhole: false, step: isTime ? (step ?? 'day') : undefined }
  if (resolve === undefined) throw notGroupable(attribute.api_slug, member)
  return { ...found, members: membersOf(attribute), isWhole: true, step: undefined }
}

/** The members of a value that have a column. */
const membersOf = (attribute: Attribute): readonly string[] =>
  columnsOf(attribute).flatMap(({ member, name }) => (name === null ? [] : [member]))

/** Each entity would be a group of its own. */
const isOwnId = (attribute: Attribute): boolean => columnsOf(attribute).some(({ name }) => name === 'id')
