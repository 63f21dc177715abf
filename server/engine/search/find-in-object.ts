/** Finds the best records of one object. See docs/reference/search.md; decision 0031. */

import type { RequestContext } from '#context'
import type { ObjectType } from '#engine/data-model/model'
import { createIndexedSearch } from './indexed-search'
import { INDEXED_PLAN, KEY_STEP, type SearchStep, UNINDEXED_PLAN } from './plan'
import type { SearchQuery } from './read-query'
import { searchIndex } from './search-fields'
import { createResults, type ObjectSearch, type RankedRecord, rankedRecord } from './search-results'
import { findNewest } from './store'
import { wordSharesOf } from './word-shares'

export async function findInObject(
  context: RequestContext,
  object: ObjectType,
  query: SearchQuery,
  limit: number,
): Promise<readonly RankedRecord[]> {
  if (query.text === '') {
    return (await findNewest(context, object, limit)).map((candidate) => rankedRecord(object, candidate, 0))
  }
  const results = createResults(context, object, query, limit)
  const search = { context, object, query, limit, results }
  await runStep(KEY_STEP, search)
  if (query.terms.length > 0 || query.digits.length > 0) await runPlan(search)
  return results.all()
}

async function runPlan(search: ObjectSearch): Promise<void> {
  const { context, object, results } = search
  if (!context.model.indexes.has(searchIndex(object).name)) {
    const partial = { ...search, newest: [], isPartial: false }
    for (const step of UNINDEXED_PLAN) await runStep(step, partial)
    return
  }
  if (results.isSufficient()) return
  const indexed = createIndexedSearch(search, await wordSharesOf(context, object))
  for (const step of INDEXED_PLAN) await runStep(step, indexed)
}

async function runStep<S extends ObjectSearch>(step: SearchStep<S>, search: S): Promise<void> {
  if (search.results.isSufficient() && step.runsAlways !== true) return
  if (step.appliesTo?.(search) !== false) await step.run(search)
}
