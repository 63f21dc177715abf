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
  type IndexedSearch,
  isCommonWord,
  MAX_NEWEST_LABELS,
  newestCountOfShare,
} from './indexed-search'
import { searchIndex } from './search-fields'
import { wordSharesOf } from './word-shares'
import { requestIndexes } from '#engine/indexes/advisor'
import { SEARCH_INDEX_FROM_ROWS } from '#engine/indexes/index-request'
import { isUuid } from '#vocabulary/uuids'
import type { Candidate } from './rank'
import * as store from './store'
import { exactWords, pairsQuery, prefixes, prefixesOrNeighbours, shortPrefixes } from './tsquery'

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

// The plan of a search over one object: the steps in the order in which they run. A step is skipped when the results are
// sufficient, unless it always runs, or when it does not apply. Cheap steps and better matches come first.
// See docs/decisions/search.md.

/** A search over an object without a search index. The first step sets both members. */
interface UnindexedSearch extends ObjectSearch {
  newest: readonly Candidate[]
  /** Whether the object has more records than `newest`. */
  isPartial: boolean
}

interface SearchStep<S extends ObjectSearch> {
  readonly name: string
  readonly finds: string
  readonly costs: string
  /** Whether the step runs even when the results are sufficient. */
  readonly runsAlways?: true
  appliesTo?(search: S): boolean
  run(search: S): Promise<void>
}

/** Runs first for every query. */
const KEY_STEP: SearchStep<ObjectSearch> = {
  name: 'key',
  finds: 'the records with exactly this id, email address or domain',
  costs: 'two reads by primary key',
  runsAlways: true,
  async run({ context, object, query, results }) {
    const id = isUuid(query.text) ? query.text : null
    for (const candidates of await store.findByKey(context, object, id, results.key)) results.add(candidates, 0)
  },
}

/** For an object with a search index. */
const INDEXED_PLAN: readonly SearchStep<IndexedSearch>[] = [
  {
    name: 'labels of the newest records',
    finds: 'newest records whose labels have all words or prefixes that were typed',
    costs: 'the labels of at most 3,000 records',
    appliesTo: ({ isLabelQuery, labels }) => isLabelQuery && labels.newestCount !== undefined,
    async run({ context, object, query, limit, results, shares, labels }) {
      const newest = labels.newestCount ?? 0
      const exactShare = query.terms.reduce((product, { word }) => product * shares.shareOf(word), 1)
      const newestExact = newestCountOfShare(exactShare, limit)
      const isExactRare = newestExact > MAX_NEWEST_LABELS
      const count = isExactRare ? newest : Math.max(newest, newestExact)
      results.add(await store.findNewestByLabel(context, object, labels.words, count), 0)
      // A label with exactly the typed words ranks before one with longer words, so an old one must not be missed.
      if (results.isSufficient() && isExactRare) {
        results.add(await store.findByLabel(context, object, exactWords(query)), 0)
      }
    },
  },
  {
    name: 'labels in the index',
    finds: 'records whose labels have these words or prefixes, by the pairs of words in the index',
    costs: 'one index scan; the labels of at most 100 records',
    appliesTo: ({ isLabelQuery, labels }) => isLabelQuery && isIndexFaster(labels),
    async run(search) {
      const { context, object, query, results, labels } = search
      const { pairs } = labels
      const tsquery = pairs.length > 0 ? pairsQuery(pairs) : prefixes(query, isCommonWord(search))
      const found = await store.findByLabel(context, object, tsquery)
      results.add(found, 0)
      if (found.length === store.MAX_LABELS) {
        const exact = [pairsQuery(pairs), exactWords(query)].filter((part) => part !== '').join(' & ')
        results.add(await store.findByLabel(context, object, exact), 0)
      }
      // Prefixes are looked up in all texts, pairs in labels only.
      if (pairs.length === 0 && found.length === 0) search.arePrefixesAbsent = true
    },
  },
  {
    name: 'newest records',
    finds: 'newest records that have these words or prefixes anywhere, when all of them are common',
    costs: 'at most 1,000 records',
    appliesTo: ({ query: { terms, digits }, shares }) =>
      digits.length === 0 && terms.every(({ word }) => shares.isCommon(shares.shareOfPrefix(word))),
    async run(search) {
      const { context, object, query, limit, results, shares } = search
      const share = query.terms.reduce((product, { word }) => product * Math.min(1, shares.shareOfPrefix(word)), 1)
      const count = Math.min(MAX_NEWEST_RECORDS, newestCountOfShare(share, limit))
      results.add(await store.findNewest(context, object, count), 0)
      const isExactRare = !query.terms.every(({ word }) => isCommonWord(search)(word))
      if (results.isSufficient() && isExactRare) {
        results.add(await store.findMatching(context, object, exactWords(query)), 0)
      }
    },
  },
  {
    name: 'all texts in the index',
    finds: 'records that have these words or prefixes anywhere',
    costs: 'one or two index scans; at most 250 records each',
    appliesTo: ({ arePrefixesAbsent }) => !arePrefixesAbsent,
    async run(search) {
      const { context, object } = search
      await addPrefixMatches(search, (tsquery) => store.findMatching(context, object, tsquery), isCommonWord(search))
    },
  },
  {
    name: 'newest labels with a common typing error',
    finds: 'newest records whose labels have the words with one typing error, as far as the results are common words',
    costs: 'the labels of at most 3,000 records',
    appliesTo: ({ isLabelQuery, typos }) => isLabelQuery && typos().labels?.newestCount !== undefined,
    async run({ context, object, results, typos }) {
      const { words = [], newestCount = 0 } = typos().labels ?? {}
      results.add(await store.findNewestByLabel(context, object, words, newestCount), 1)
    },
  },
  {
    name: 'labels with a common typing error',
    finds: 'the same records by the index',
    costs: 'one index scan; the labels of at most 100 records',
    appliesTo({ isLabelQuery, typos }) {
      const { labels } = typos()
      return isLabelQuery && labels !== undefined && isIndexFaster(labels)
    },
    async run({ context, object, query, results, typos }) {
      const { labels, common } = typos()
      const pairs = labels?.pairs ?? []
      const tsquery = pairs.length > 0 ? pairsQuery(pairs) : prefixesOrNeighbours(query, common)
      results.add(await store.findByLabel(context, object, tsquery), 1)
    },
  },
  {
    name: 'all texts with a common typing error',
    finds: 'records that have the words with one typing error anywhere, as far as the results are common words',
    costs: 'one index scan; at most 250 records',
    appliesTo: ({ typos }) => typos().common.size > 0,
    async run({ context, object, query, results, typos }) {
      results.add(await store.findMatching(context, object, prefixesOrNeighbours(query, typos().common)), 1)
    },
  },
  {
    name: 'all texts with any typing error',
    finds: 'records that have the words with any one typing error anywhere',
    costs: 'an index scan for each of some hundred neighbours; at most 250 records',
    appliesTo: ({ typos }) => typos().others.length > 0,
    async run({ context, object, query, results, typos }) {
      const { common, others } = typos()
      const existing = await store.findExistingWords(context, object, others)
      if (existing.length === 0) return
      const neighbours = new Set([...common, ...existing])
      results.add(await store.findMatching(context, object, prefixesOrNeighbours(query, neighbours)), 1)
    },
  },
  {
    name: 'two typing errors',
    finds: 'records that have words of seven letters and more with two typing errors behind the fourth letter',
    costs: 'one index scan; at most 250 records',
    appliesTo: ({ results, query }) => results.isEmpty() && shortPrefixes(query) !== undefined,
    async run({ context, object, query, results }) {
      results.add(await store.findMatching(context, object, shortPrefixes(query) ?? ''), 2)
    },
  },
]

/** For an object without a search index: a small one, or a large one whose index is not built yet. */
const UNINDEXED_PLAN: readonly SearchStep<UnindexedSearch>[] = [
  {
    name: 'newest records',
    finds: 'the newest records that match without typing errors; of a small object these are all',
    costs: '1,000 records',
    runsAlways: true,
    async run(search) {
      const { context, object, results } = search
      search.newest = await store.findNewest(context, object, SEARCH_INDEX_FROM_ROWS)
      search.isPartial = search.newest.length === SEARCH_INDEX_FROM_ROWS
      results.add(search.newest, 0)
      if (!search.isPartial) return
      await context.indexes?.sizes.get(object.table)
      requestIndexes(context, object, { requests: [searchIndex(object)], requestedBy: () => 'search' })
    },
  },
  {
    name: 'labels and keys of all records',
    finds: 'records of any age by the words of their labels, email addresses or domains',
    costs: 'a scan of the table, which ends after two seconds',
    runsAlways: true,
    appliesTo: ({ isPartial, query, results }) => isPartial && query.terms.length > 0 && !results.hasExact(),
    async run({ context, object, query, results }) {
      results.add(await store.scanLabelsAndKeys(context, object, query), 0)
    },
  },
  {
    name: 'all texts of newer records',
    finds: 'newer records that have these words or prefixes anywhere',
    costs: 'one or two reads of 3,000 records',
    appliesTo: ({ isPartial }) => isPartial,
    async run(search) {
      const { context, object } = search
      await addPrefixMatches(search, (tsquery) =>
        store.findMatchingAmongNewest(context, object, tsquery, MAX_SCANNED_IN_FULL),
      )
    },
  },
  {
    name: 'newest records with a typing error',
    finds: 'newest records with one typing error in a word',
    costs: 'comparing the 1,000 records of the first step again',
    run: async ({ newest, results }) => results.add(newest, 1),
  },
  {
    name: 'newest records with two typing errors',
    finds: 'newest records with two typing errors in a word',
    costs: 'comparing the 1,000 records of the first step again',
    appliesTo: ({ results }) => results.isEmpty(),
    run: async ({ newest, results }) => results.add(newest, 2),
  },
]

/** The newest records to read and rank when the index would list very many. */
const MAX_NEWEST_RECORDS = 1000
/** The newest records to compare in full while a large object has no index. */
const MAX_SCANNED_IN_FULL = 3000

/** Whether the index finds the labels faster than the newest records do, or by pairs of words. */
const isIndexFaster = ({ newestCount, pairs }: IndexedSearch['labels']): boolean =>
  newestCount === undefined || pairs.length > 0

/** When there are more prefix matches than are ranked, looks up the exact words too, which rank better. */
async function addPrefixMatches(
  { query, results }: ObjectSearch,
  match: (tsquery: string) => Promise<readonly Candidate[]>,
  isCommon?: (word: string) => boolean,
): Promise<void> {
  const found = await match(prefixes(query, isCommon))
  results.add(found, 0)
  if (found.length === store.MAX_RANKED) results.add(await match(exactWords(query)), 0)
}
