/** Searches the records of objects and activities. See docs/reference/search.md. */

import type { RequestContext } from '#context'
import type { RecordType } from '#engine/data-model/model'
import { readSearchQuery, type SearchQuery } from './words'
import { type DisplayedRecord, findNewest, readDisplayed } from './store'
import {
  createIndexedSearch,
  createResults,
  type ObjectSearch,
  type RankedRecord,
  rankedRecord,
} from './indexed-search'
import { INDEXED_PLAN, KEY_STEP, type SearchStep, UNINDEXED_PLAN } from './plan'
import { searchIndex } from './search-fields'
import { wordSharesOf } from './word-shares'

export interface Hit extends DisplayedRecord {
  readonly object: RecordType
}

/** The best records of all of them together. An empty query returns the newest. */
export async function search(
  context: RequestContext,
  objects: readonly RecordType[],
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<Hit[]> {
  const parsed = readSearchQuery(query)
  const found = await Promise.all(objects.map((object) => findInObject(context, object, parsed, limit)))
  const best = found.flat().sort(bestFirst).slice(0, limit)
  const displayed = await Promise.all(objects.map((object) => readHits(context, object, best)))
  const byId = new Map(displayed.flat().map((hit) => [hit.id, hit]))
  return best.flatMap(({ id }) => byId.get(id) ?? [])
}

/** Orders records of one rank by age, the newest first. */
const bestFirst = (one: RankedRecord, other: RankedRecord): number =>
  one.rank - other.rank || other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1)

async function readHits(context: RequestContext, object: RecordType, best: readonly RankedRecord[]): Promise<Hit[]> {
  const ids = best.filter((each) => each.object === object).map(({ id }) => id)
  if (ids.length === 0) return []
  return (await readDisplayed(context, object, ids)).map((displayed) => ({ ...displayed, object }))
}

/** Finds the best records of one object. See docs/reference/search.md; docs/decisions/search.md. */
async function findInObject(
  context: RequestContext,
  object: RecordType,
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
