/** The totals of a query over everything that it finds. See docs/reference/query.md (Totals). */

import type { RequestContext } from '#context'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { noSum } from '#base/errors/queries'
import { unknownAttributeKey } from '#base/errors/records'
import { numberMember } from '#engine/query/aggregate/resolve-aggregates'
import { compileAggregates } from '#engine/query/compile/aggregate-statement'
import { compileCount } from '#engine/query/compile/page-statement'
import type { Pagination, QueryBody } from '#engine/query/parse/schemas'
import { getSearchable } from '#engine/query/resolve/resolve-path'
import type { Query } from '#engine/query/resolve/resolve-query'
import { runStatement } from './run-statement'

type Totals = Pick<Pagination, 'total' | 'sum'>

/** Starts to read the totals that the body requests. Returns undefined without any. Throws 400 for an attribute without numbers. */
export function startTotals(
  context: RequestContext,
  entityType: EntityType,
  body: QueryBody,
): ((query: Query, isLong: boolean) => Promise<Totals>) | undefined {
  const { include_count = false, sum } = body
  if (sum === undefined) return include_count ? (query, isLong) => count(context, entityType, query, isLong) : undefined
  const attribute = getSummed(context, entityType, sum)
  return async ({ condition }, isLong) => {
    const aggregates = [{ function: 'sum' as const, attribute }]
    const [row] = await runStatement(
      context,
      compileAggregates(context.model, entityType, condition, aggregates),
      isLong,
    )
    return { ...(include_count && { total: Number(row?.[0]) }), sum: Number(row?.[1] ?? 0) }
  }
}

async function count(
  context: RequestContext,
  entityType: EntityType,
  { condition }: Query,
  isLong: boolean,
): Promise<Totals> {
  const [row] = await runStatement(context, compileCount(context.model, entityType, condition), isLong)
  return { total: Number(row?.[0]) }
}

function getSummed({ model }: RequestContext, entityType: EntityType, slugOrId: string): Attribute {
  const attribute = getSearchable(model, entityType, slugOrId, (didYouMean) =>
    unknownAttributeKey(slugOrId, didYouMean),
  )
  if (numberMember(attribute) === undefined) throw noSum(attribute.api_slug)
  return attribute
}
