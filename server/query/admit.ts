/** Before a query runs: its score is counted against the limits, and what would have served it is noted. */

import type { Call } from '../call'
import type { Owner } from '../data-model/model'
import { wantIndexes } from '../indexes/watch'
import type { Query } from './resolve-query'
import { scoreOf } from './score'
import { missingIndexes } from './serving'

/** Gives the score. Throws 429 for a query that may not run. */
export async function admit(call: Call, owner: Owner, query: Query): Promise<number> {
  const { model, indexes, budget } = call
  const holders = await (indexes?.sizes.get(owner.table) ?? 0)
  const score = scoreOf(model, query, holders)
  await budget?.spend(model.workspace.id, score, holders)
  for (const { owner: asked, index } of missingIndexes(model, query)) wantIndexes(call, asked, [index])
  return score
}
