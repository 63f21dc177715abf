/** Before a query runs: its score is counted against the limits, and what would have served it is noted. */

import type { Call } from '../../call'
import type { Owner } from '../../data-model/model'
import { wantIndexes } from '../../indexes/advisor'
import { isLookup } from '../run/lookup'
import type { Query } from '../resolve/resolve-query'
import { scoreOf } from './score'
import { missingIndexes } from './index-advisor'

export interface Admitted {
  readonly score: number
  /** Expected to take long: too much has to be read. */
  readonly isLong: boolean
}

/** From so many holders on, reading all of them takes long. */
const MANY_HOLDERS = 200_000

/** Throws 429 for a query that may not run. */
export async function admit(call: Call, owner: Owner, query: Query): Promise<Admitted> {
  const { model, indexes, budget } = call
  const holders = await (indexes?.sizes.get(owner.table) ?? 0)
  const score = scoreOf(model, query, holders)
  await budget?.spend(model.workspace.id, score, holders)
  if (isLookup(query)) return { score, isLong: false }
  const missing = missingIndexes(model, query)
  for (const { owner: asked, index } of missing) wantIndexes(call, asked, [index])
  return { score, isLong: holders >= MANY_HOLDERS && missing.length > 0 }
}
