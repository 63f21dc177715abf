/** Computes aggregates over all entities that a filter finds, and by group. See docs/reference/query.md (Aggregates). */

import type { Scalar } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import type { RequestContext } from '#context'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { requestIndexes, type RequestedIndexes } from '#engine/indexes/advisor'
import { describeCoveringIndex } from '#engine/indexes/describe/covering-index'
import { REQUIRED_COVERING_REQUESTS } from '#engine/indexes/index-request'
import type { Row } from '#engine/storage/layout'
import { formQuery } from '#engine/query/forms/compiled-forms'
import { checkCost } from '#engine/query/planning/check-cost'
import { relativeContextOf } from '#engine/query/resolve/relative'
import { resolveQuery, type Query } from '#engine/query/resolve/resolve-query'
import { withViewFilter } from '#engine/query/run/query-entities'
import { runStatement } from '#engine/query/run/run-statement'
import type { QueryStatement } from '#engine/query/compile/page-statement'
import { columnsRead, compileAggregates, compileGroups, compileRollup } from '#engine/query/compile/aggregate-statement'
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
  const levels = isEachInOneGroup(aggregation)
    ? await readTogether(run, aggregation)
    : await readLevels(run, aggregation)
  return { data: { ...totalsOf(levels, body), ...groupsOf(levels, aggregation) }, score }
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

/** One row of a statement: the values of the groupings that it combines, and its numbers. */
interface Combination {
  readonly values: readonly GroupValue[]
  readonly total: number
  readonly numbers: readonly (number | null)[]
}

/** The rows of everything together, of the groups and of their splits. */
type Levels = readonly (readonly Combination[])[]

const groupingsOf = ({ groupBy, splitBy }: Aggregation): readonly Grouping[] =>
  [groupBy, splitBy].flatMap((one) => one ?? [])

/** One more row than is returned shows whether there are more. */
const limitsOf = ([groupBy]: readonly Grouping[]): readonly [groups: number, splits: number] => [
  (groupBy?.step === undefined ? MAX_GROUPS : MAX_PERIODS) + 1,
  MAX_SPLITS + 1,
]

/** Whether the numbers of all levels follow from those of the smallest groups. */
const isEachInOneGroup = (aggregation: Aggregation): boolean =>
  aggregation.groupBy !== undefined && groupingsOf(aggregation).every(({ attribute }) => !attribute.is_multiselect)

/** Reads all levels with one statement. */
async function readTogether(run: Run, aggregation: Aggregation): Promise<Levels> {
  const { context, isLong } = run
  const statement = totalsStatement(run, aggregation)
  const rows = await runStatement(context, statement, isLong)
  const read = combinationReader(context.model, groupingsOf(aggregation))
  const byLevel = Map.groupBy(rows, ([level]) => Number(level))
  const levels = [0, 1, 2].map((level) => (byLevel.get(level) ?? []).map((row) => read(row.slice(1))))
  requestCovering(run, statement, levels[0]?.[0]?.total)
  return levels
}

/** Reads each level with a statement of its own. */
async function readLevels(run: Run, aggregation: Aggregation): Promise<Levels> {
  const { context, entityType, query, isLong, timeZone } = run
  const { aggregates } = aggregation
  const groupings = groupingsOf(aggregation)
  const readTotals = async () => {
    const statement = totalsStatement(run, aggregation)
    const totals = (await runStatement(context, statement, isLong)).map(combinationReader(context.model, []))
    requestCovering(run, statement, totals[0]?.total)
    return totals
  }
  const limits = limitsOf(groupings)
  const readGroups = groupings.map(async (_, index) => {
    const [first, ...others] = groupings.slice(0, index + 1)
    if (first === undefined) return []
    const groups = { groupings: [first, ...others] as const, aggregates, timeZone, limit: limits[index] ?? MAX_GROUPS }
    const statement = compileGroups(context.model, entityType, query.condition, groups)
    return (await runStatement(context, statement, isLong)).map(combinationReader(context.model, [first, ...others]))
  })
  return Promise.all([readTotals(), ...readGroups])
}

/** The statement that reads the totals: together with all groups where one statement can read them (`isEachInOneGroup`), otherwise alone. */
function totalsStatement(
  { context, entityType, query, timeZone }: Omit<Run, 'isLong'>,
  aggregation: Aggregation,
): QueryStatement {
  const { aggregates } = aggregation
  const [first, ...others] = isEachInOneGroup(aggregation) ? groupingsOf(aggregation) : []
  if (first === undefined) return compileAggregates(context.model, entityType, query.condition, aggregates)
  const groups = { groupings: [first, ...others] as const, aggregates, timeZone, limits: limitsOf([first]) }
  return compileRollup(context.model, entityType, query.condition, groups)
}

/** Of how many times the rows with which a table gets other indexes. Fewer rows are read fast enough. */
const COVERING_FACTOR = 5

/** Requests the index that has the columns of a statement which found many entities. */
function requestCovering({ context, entityType }: Run, statement: QueryStatement, total = 0): void {
  const { fromRows = Infinity } = context.indexes ?? {}
  if (total >= fromRows * COVERING_FACTOR) requestIndexes(context, entityType, coveringIndexOf(entityType, statement))
}

/** Requests the index of an aggregate that is saved, such as that of a chart, enough times to have it built, if the table has many rows. */
export function requestIndexOfSaved(
  context: RequestContext,
  entityType: EntityType,
  { query, aggregation }: { readonly query: Query; readonly aggregation: Aggregation },
): void {
  const { fromRows: setting = Infinity } = context.indexes ?? {}
  const statement = totalsStatement({ context, entityType, query, timeZone: 'UTC' }, aggregation)
  const { requests, requestedBy } = coveringIndexOf(entityType, statement)
  const fromRows = setting * COVERING_FACTOR
  const times = REQUIRED_COVERING_REQUESTS
  requestIndexes(context, entityType, { requests: requests.map((each) => ({ ...each, fromRows })), times, requestedBy })
}

function coveringIndexOf(entityType: EntityType, { text }: QueryStatement): RequestedIndexes {
  const { attributes = [], indexes: requests = [] } = describeCoveringIndex(entityType, columnsRead(text)) ?? {}
  return { requests, requestedBy: () => `aggregates of ${attributes.map(({ api_slug }) => api_slug).join(', ')}` }
}

/** Reads the keys of the groupings, the count, and the aggregates as text. */
function combinationReader(model: DataModel, groupings: readonly Grouping[]): (row: Row) => Combination {
  const readers = groupings.map((grouping) => valueReader(model, grouping))
  return (row) => {
    let at = 0
    const values = readers.map(({ length, read }) => read(row.slice(at, (at += length))))
    return { values, total: Number(row[at]), numbers: numbersIn(row.slice(at + 1)) }
  }
}

function totalsOf([all = []]: Levels, { aggregates = [] }: AggregateBody) {
  const [whole] = all
  return {
    total: whole?.total ?? 0,
    aggregates: aggregates.map((one, index) => ({ ...one, value: whole?.numbers[index] ?? null })),
  }
}

/** The groups, each with those that `split_by` divides it into. */
function groupsOf([, all = [], allSplits = []]: Levels, { aggregates, groupBy, splitBy }: Aggregation) {
  if (groupBy === undefined) return {}
  const [groupLimit, splitLimit] = limitsOf([groupBy])
  const render = ({ values, total, numbers }: Combination) => ({
    value: values.at(-1) ?? null,
    total,
    ...(aggregates.length > 0 && { aggregate_values: [...numbers] }),
  })
  const splitsOf = Map.groupBy(allSplits.slice(0, splitLimit - 1), ({ values }) => JSON.stringify(values[0]))
  const groups = all.slice(0, groupLimit - 1).map((group) => ({
    ...render({ ...group, values: group.values.slice(0, 1) }),
    ...(splitBy && { splits: (splitsOf.get(JSON.stringify(group.values[0] ?? null)) ?? []).map(render) }),
  }))
  return {
    // The statement has the latest period first, so that a limit leaves out the earliest ones.
    groups: groupBy.step === undefined ? groups : groups.toReversed(),
    has_more_groups: all.length === groupLimit,
    ...(splitBy && { has_more_splits: allSplits.length === splitLimit }),
  }
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
