/** Before a query runs: charges its score to the cost limit, and requests the indexes that it lacks. */

import type { RequestContext } from '../../context'
import type { EntityType } from '../../data-model/model'
import { requestIndexes } from '../../indexes/advisor'
import type { Query } from '../resolve/resolve-query'
import { findCompositeIndex, findReadyComposite } from './composite-index'
import { describeQuery } from './describe-query'
import { isLookup } from './lookup'
import { findMissingIndexes } from './missing-indexes'
import { scoreOf } from './score'

export interface QueryCost {
  readonly score: number
  /** Whether the query is expected to be long, because it lacks an index on a large table. */
  readonly isLong: boolean
}

/** From this many entities on, a full scan counts as long. */
const LONG_FROM_ENTITIES = 200_000

/** Throws 429 when the query exceeds a cost limit. */
export async function checkCost(context: RequestContext, entityType: EntityType, query: Query): Promise<QueryCost> {
  const { model, indexes, costLimit } = context
  const entities = await (indexes?.sizes.get(entityType.table) ?? 0)
  const score = scoreOf(model, query, entities)
  await costLimit?.spend(model.workspace.id, score, entities)
  if (isLookup(query)) return { score, isLong: false }
  // Smaller tables get no index.
  const composite =
    entities >= (indexes?.fromRows ?? Infinity) ? findCompositeIndex(model, entityType, query) : undefined
  const isReady = findReadyComposite(model, composite) !== undefined
  const missing = findMissingIndexes(model, query, isReady ? composite?.attributes : undefined)
  const requestedBy = () => describeQuery(query)
  for (const { entityType: indexed, index } of missing)
    requestIndexes(context, indexed, { requests: [index], requestedBy })
  if (composite && !isReady) {
    const { index, partial } = composite
    requestIndexes(context, entityType, { requests: partial ? [index, partial] : [index], requestedBy })
  }
  return { score, isLong: entities >= LONG_FROM_ENTITIES && missing.length > 0 }
}
