/** Computes aggregates over all entities that a filter finds, and counts them by group. See docs/reference/query.md (Aggregates). */

import type { Scalar } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import type { RequestContext } from '#context'
import type { Attribute, EntityType } from '#engine/data-model/model'
import type { Row } from '#engine/storage/layout'
import { formQuery } from '#engine/query/forms/compiled-forms'
import { checkCost } from '#engine/query/planning/check-cost'
import { relativeContextOf } from '#engine/query/resolve/relative'
import { resolveQuery, type Query } from '#engine/query/resolve/resolve-query'
import { withViewFilter } from '#engine/query/run/query-entities'
import { runStatement } from '#engine/query/run/run-statement'
import { compileAggregates, compileGroups, groupMembers } from '#engine/query/compile/aggregate-statement'
import { type Aggregation, resolveAggregation } from './resolve-aggregates'
import type { AggregateAnswer, AggregateBody } from './schemas'

/** More groups are not returned. */
const MAX_GROUPS = 200

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
  const filtered = body.filter_view_id === undefined ? body : await withViewFilter(context, entityType, body)
  const query = formQuery(
    context.model,
    entityType,
    resolveQuery(
      context.model,
      entityType,
      { filter: filtered.filter },
      await relativeContextOf(context, filtered.filter, body.time_zone),
    ),
  )
  const aggregation = resolveAggregation(context.model, entityType, body)
  const { score, isLong } = await checkCost(context, entityType, query)
  const run = { context, entityType, query, isLong }
  const [totals, groups] = await Promise.all([
    readAggregates(run, aggregation, body),
    aggregation.groupBy && readGroups(run, aggregation.groupBy),
  ])
  return { data: { ...totals, ...groups }, score }
}

interface Run {
  readonly context: RequestContext
  readonly entityType: EntityType
  readonly query: Query
  readonly isLong: boolean
}

async function readAggregates(
  { context, entityType, query, isLong }: Run,
  { aggregates }: Aggregation,
  body: AggregateBody,
) {
  const statement = compileAggregates(context.model, entityType, query.condition, aggregates)
  const [row = []] = await runStatement(context, statement, isLong)
  const valueAt = (index: number) => (row[index + 1] === null ? null : Number(row[index + 1]))
  return {
    total: Number(row[0]),
    aggregates: (body.aggregates ?? []).map((one, index) => ({ ...one, value: valueAt(index) })),
  }
}

async function readGroups({ context, entityType, query, isLong }: Run, attribute: Attribute) {
  const { model } = context
  const statement = compileGroups(model, entityType, query.condition, { attribute, limit: MAX_GROUPS + 1 })
  const rows = await runStatement(context, statement, isLong)
  const members = groupMembers(attribute)
  const render = attributeType(attribute.type).render(attribute, model)
  const valueIn = (row: Row): Record<string, unknown> | null => {
    // A statement has the scalars of the columns of a value.
    const stored = Object.fromEntries(members.map((member, index) => [member, row[index] as Scalar]))
    if (Object.values(stored).every((scalar) => scalar === null)) return null
    return JSON.parse(`{${render(stored)}}`) // the members of the value, as in a record
  }
  const groups = rows.slice(0, MAX_GROUPS).map((row) => ({ value: valueIn(row), total: Number(row[members.length]) }))
  return { groups, has_more_groups: rows.length > MAX_GROUPS }
}
