/** Before a query runs: its score is counted against the limits, and what would have served it is noted. */

import type { RequestContext } from '../../context'
import type { EntityType } from '../../data-model/model'
import { requestIndexes } from '../../indexes/advisor'
import { isLookup } from '../run/lookup'
import type { Query } from '../resolve/resolve-query'
import { scoreOf } from './score'
import { missingIndexes } from './index-advisor'

export interface Admitted {
  readonly score: number
  /** Expected to take long: too much has to be read. */
  readonly isLong: boolean
}

/** From so many entities on, reading all of them takes long. */
const MANY_HOLDERS = 200_000

/** Throws 429 for a query that may not run. */
export async function checkCost(context: RequestContext, entityType: EntityType, query: Query): Promise<Admitted> {
  const { model, indexes, budget } = context
  const entities = await (indexes?.sizes.get(entityType.table) ?? 0)
  const score = scoreOf(model, query, entities)
  await budget?.spend(model.workspace.id, score, entities)
  if (isLookup(query)) return { score, isLong: false }
  const missing = missingIndexes(model, query)
  for (const { entityType: asked, index } of missing) requestIndexes(context, asked, [index])
  return { score, isLong: entities >= MANY_HOLDERS && missing.length > 0 }
}
