/** Before a query runs: charges its score to the cost limit, and requests the indexes that it lacks. */

import type { RequestContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import { requestIndexes } from '#engine/indexes/advisor'
import type { Query } from '#engine/query/resolve/resolve-query'
import { describeQuery } from './describe-query'
import type { EstimatedCost } from './estimate-cost'
import { scoreOf } from './score'

export interface QueryCost {
  readonly score: number
  /** Whether the query is expected to be long, because it lacks an index on a large table. */
  readonly isLong: boolean
}

/** From this many entities on, a full scan counts as long. */
const LONG_FROM_ENTITIES = 200_000

/** Throws 429 when the query exceeds a cost limit. */
export async function checkCost(
  context: RequestContext,
  entityType: EntityType,
  query: Query & { readonly cost: EstimatedCost },
): Promise<QueryCost> {
  const { model, indexes, costLimit } = context
  const { cost } = query
  const entities = await (indexes?.sizes.get(entityType.table) ?? 0)
  const score = scoreOf(cost.cost, entities)
  await costLimit?.spend(model.workspace.id, score, entities)
  if (cost.isLookup) return { score, isLong: false }
  // Smaller tables get no index over several columns.
  const { single, composite } = entities >= (indexes?.fromRows ?? Infinity) ? cost.large() : cost.small()
  const requestedBy = () => describeQuery(query)
  for (const { entityType: indexed, index } of single)
    requestIndexes(context, indexed, { requests: [index], requestedBy })
  if (composite) {
    const { index, partial } = composite
    requestIndexes(context, entityType, { requests: partial ? [index, partial] : [index], requestedBy })
  }
  return { score, isLong: entities >= LONG_FROM_ENTITIES && single.length > 0 }
}
