/** Computes aggregates over all entities that a filter finds, and by group. See docs/reference/query.md (Aggregates). */

import type { Scalar } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import type { RequestContext } from '#context'
import type { DataModel, EntityType } from '#engine/data-model/model'
import type { Row } from '#engine/storage/layout'
import { formQuery } from '#engine/query/forms/compiled-forms'
import { checkCost } from '#engine/query/planning/check-cost'
import { relativeContextOf } from '#engine/query/resolve/relative'
import { resolveQuery, type Query } from '#engine/query/resolve/resolve-query'
import { withViewFilter } from '#engine/query/run/query-entities'
import { runStatement } from '#engine/query/run/run-statement'
import { compileAggregates, compileGroups } from '#engine/query/compile/aggregate-statement'
import { type Aggregation, type Grouping, resolveAggregation } from './resolve-aggregates'
import type { AggregateAnswer, AggregateBody } from './schemas'

/** More groups are not returned. */
const MAX_GROUPS = 200
/** The same of groups of dates and times: days of almost three years. */
const MAX_PERIODS = 1000
/** The same of all groups together. */
const MAX_SPLITS = 10_000

export interface Aggregated {
  readonly data: AggregateAnswer['data']
  readonly score: number
}

/** Throws the errors of the body, 429 when the query exceeds the cost limit, and 400 when it takes too long. */
export async function aggregateEntities(
  context: RequestContext,
  entityType: EntityType,
  body: AggregateBody,
): Promise<Aggregated> {
  const { query, relativeContext } = await resolveFiltered(context, entityType, body)
  const aggregation = resolveAggregation(context.model, entityType, body)
  const { score, isLong } = await checkCost(context, entityType, query)
  const run = { context, entityType, query, isLong, timeZone: relativeContext.timeZone }
  const [totals, groups] = await Promise.all([readAggregates(run, aggregation, body), readGroups(run, aggregation)])
  return { data: { ...totals, ...groups }, score }
}

/** Resolves the filter of a body, or that of the view that it names. */
export async function resolveFiltered(
  context: RequestContext,
  entityType: EntityType,
  body: Pick<AggregateBody, 'filter' | 'filter_view_id' | 'time_zone'>,
) {
  const { filter } = body.filter_view_id === undefined ? body : await withViewFilter(context, entityType, body)
  const relativeContext = await relativeContextOf(context, filter, body.time_zone)
  const query = formQuery(
    context.model,
    entityType,
    resolveQuery(context.model, entityType, { filter }, relativeContext),
  )
  return { query, relativeContext }
}

interface Run {
  readonly context: RequestContext
  readonly entityType: EntityType
  readonly query: Query
  readonly isLong: boolean
  readonly timeZone: string
}

async function readAggregates(
  { context, entityType, query, isLong }: Run,
  { aggregates }: Aggregation,
  body: AggregateBody,
) {
  const statement = compileAggregates(context.model, entityType, query.condition, aggregates)
  const [row = []] = await runStatement(context, statement, isLong)
  const values = numbersIn(row.slice(1))
  return {
    total: Number(row[0]),
    aggregates: (body.aggregates ?? []).map((one, index) => ({ ...one, value: values[index] ?? null })),
  }
}

/** The groups, each with those that `split_by` divides it into. */
async function readGroups(run: Run, { aggregates, groupBy, splitBy }: Aggregation) {
  if (groupBy === undefined) return {}
  const isOfTime = groupBy.step !== undefined
  const limit = isOfTime ? MAX_PERIODS : MAX_GROUPS
  const [found, splits] = await Promise.all([
    readRows(run, [groupBy], aggregates, limit),
    splitBy && readRows(run, [groupBy, splitBy], aggregates, MAX_SPLITS),
  ])
  const splitsOf = splits && Map.groupBy(splits.rows, ({ values }) => JSON.stringify(values[0]))
  const groups = found.rows.map(({ values: [value = null], numbers }) => ({
    value,
    ...numbers,
    ...(splitsOf && {
      splits: (splitsOf.get(JSON.stringify(value)) ?? []).map((split) => ({
        value: split.values[1] ?? null,
        ...split.numbers,
      })),
    }),
  }))
  return {
    // The statement has the latest period first, so that a limit leaves out the earliest ones.
    groups: isOfTime ? groups.toReversed() : groups,
    has_more_groups: found.hasMore,
    ...(splits && { has_more_splits: splits.hasMore }),
  }
}

/** One row for each combination of the values of the groupings. */
async function readRows(
  { context, entityType, query, isLong, timeZone }: Run,
  groupings: readonly [Grouping, ...Grouping[]],
  aggregates: Aggregation['aggregates'],
  limit: number,
) {
  const { model } = context
  const groups = { groupings, aggregates, timeZone, limit: limit + 1 }
  const statement = compileGroups(model, entityType, query.condition, groups)
  const rows = await runStatement(context, statement, isLong)
  const readers = groupings.map((grouping) => valueReader(model, grouping))
  const read = (row: Row) => {
    let at = 0
    const values = readers.map(({ length, read }) => read(row.slice(at, (at += length))))
    const aggregate_values = aggregates.length > 0 ? { aggregate_values: numbersIn(row.slice(at + 1)) } : {}
    return { values, numbers: { total: Number(row[at]), ...aggregate_values } }
  }
  return { rows: rows.slice(0, limit).map(read), hasMore: rows.length > limit }
}

type GroupValue = Record<string, unknown> | null

/** Reads the value of a group from as many columns as the grouping has members. */
function valueReader(model: DataModel, { attribute, members, isWhole }: Grouping) {
  const render = attributeType(attribute.type).render(attribute, model)
  return {
    length: members.length,
    read(row: Row): GroupValue {
      // A statement has the scalars of the columns of a value.
      const stored = Object.fromEntries(members.map((member, index) => [member, row[index] as Scalar]))
      if (Object.values(stored).every((scalar) => scalar === null)) return null
      return isWhole ? JSON.parse(`{${render(stored)}}`) : stored // the members of the value, as in a record
    },
  }
}

const numbersIn = (row: Row): (number | null)[] => row.map((text) => (text === null ? null : Number(text)))
