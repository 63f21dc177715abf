/** The records of one object that are what was asked for, best first. See docs/reference/search.md; decision 0031. */

import { matchingKey } from '../attribute-types/definition/parse-value'
import { isUuid } from '../attribute-types/formats/uuids'
import type { RequestContext } from '../call'
import type { ObjectType } from '../data-model/model'
import { ApiError, InvalidValue } from '../errors/errors'
import { requestIndexes } from '../indexes/advisor'
import { SEARCH_INDEX_FROM_ROWS } from '../indexes/build-rule'
import { type Micros, microsFromPostgres } from '../timing/clock'
import type { Candidate } from './candidate'
import { addLabelled, addMeantLabels, type LabelFindings, type Looking, mayBeLabel, newestFor } from './labelled'
import { type Errors, rankOf, SAME_KEY, SAME_LABEL } from './rank'
import type { SearchQuery } from './read-query'
import { keyAttribute, searchIndex } from './searched'
import { isShareCommon, type WordShares, wordSharesOf } from './shares'
import {
  findByKey,
  findKnown,
  findMatching,
  findMatchingAmongNewest,
  findNewest,
  MOST_RANKED,
  scanLabelsAndKeys,
} from './store'
import { beginnings, neighbours, roughly, wholeWords, withErrors } from './tsquery'

/** A record that was found. */
export interface Found {
  readonly object: ObjectType
  readonly id: string
  readonly createdAt: Micros
  /** Lower is better. */
  readonly rank: number
}

interface Findings extends LabelFindings {
  /** Whoever has the very key or id. */
  addKeys(): Promise<void>
  isEmpty(): boolean
  /** Whether a record has the very key, id or label that was typed. */
  hasExact(): boolean
  all(): Found[]
}

/** As long as a big object has no index, no more of its records are read for one search. */
const MOST_READ = 3000
/** No more of the newest are read and ranked when the index would list very many. */
const MOST_NEWEST = 1000

export async function findInObject(
  context: RequestContext,
  object: ObjectType,
  query: SearchQuery,
  limit: number,
): Promise<readonly Found[]> {
  if (query.text === '') {
    return (await findNewest(context, object, limit)).map((candidate) => foundAs(object, candidate, 0))
  }
  const findings = startFindings(context, object, query, limit)
  await findings.addKeys()
  if (query.terms.length > 0 || query.digits.length > 0) {
    const isIndexed = context.model.indexes.has(searchIndex(object).name)
    await (isIndexed ? lookUp : readThrough)(context, object, query, findings)
  }
  return findings.all()
}

/** Looks into the index, for errors only as long as there is not enough without. */
async function lookUp(context: RequestContext, object: ObjectType, query: SearchQuery, findings: Findings) {
  if (findings.suffice()) return
  const shares = await wordSharesOf(context, object)
  const looking = { context, object, query, findings, shares }
  const isElsewhere = !mayBeLabel(query) || (await addLabelled(looking))
  if (!findings.suffice() && isCommon(query, shares)) await addFromNewest(looking)
  if (findings.suffice()) return
  const isWordCommon = (word: string) => isShareCommon(shares.of(word), shares)
  const match = (tsquery: string) => findMatching(context, object, tsquery)
  if (isElsewhere) await addWithoutErrors(findings, query, match, isWordCommon)
  if (findings.suffice()) return
  await addWithErrors(looking)
  const rough = roughly(query)
  if (rough !== undefined && findings.isEmpty()) findings.add(await findMatching(context, object, rough), 2)
}

/** Words that are known to be common need not be looked for, and mostly give enough. */
async function addWithErrors(looking: Looking): Promise<void> {
  const { context, object, query, findings, shares } = looking
  const near = neighbours(query)
  const known = new Set(near.filter((word) => shares.beginning(word) > 0))
  if (known.size > 0) {
    if (mayBeLabel(query)) await addMeantLabels(looking, known)
    if (!findings.suffice()) findings.add(await findMatching(context, object, withErrors(query, known)), 1)
    if (findings.suffice()) return
  }
  const unknown = near.filter((word) => !known.has(word))
  const others = unknown.length > 0 ? await findKnown(context, object, unknown) : []
  if (others.length === 0) return
  for (const word of others) known.add(word)
  findings.add(await findMatching(context, object, withErrors(query, known)), 1)
}

/** Whether so many records have what was typed that the newest of them are found soonest among the newest of all. */
const isCommon = ({ terms, digits }: SearchQuery, shares: WordShares): boolean =>
  digits.length === 0 && terms.every(({ word }) => isShareCommon(shares.beginning(word), shares))

async function addFromNewest({ context, object, query, findings, shares }: Looking): Promise<void> {
  const share = query.terms.reduce((product, { word }) => product * Math.min(1, shares.beginning(word)), 1)
  findings.add(await findNewest(context, object, Math.min(MOST_NEWEST, newestFor(share, findings.limit))), 0)
  // The very words are a better match than their beginnings, and may be rare.
  const isRare = query.terms.some(({ word }) => !isShareCommon(shares.of(word), shares))
  if (findings.suffice() && isRare) findings.add(await findMatching(context, object, wholeWords(query)), 0)
}

/** Compares the newest records one by one; those are all, unless the object is big. */
async function readThrough(context: RequestContext, object: ObjectType, query: SearchQuery, findings: Findings) {
  const newest = await findNewest(context, object, SEARCH_INDEX_FROM_ROWS)
  findings.add(newest, 0)
  if (newest.length === SEARCH_INDEX_FROM_ROWS) {
    await context.indexes?.sizes.get(object.table)
    requestIndexes(context, object, [searchIndex(object)])
    await addOlder(context, object, query, findings)
  }
  if (!findings.suffice()) findings.add(newest, 1)
  if (findings.isEmpty()) findings.add(newest, 2)
}

/** Of a big object without an index: labels and keys of all records, everything else of the newer ones alone. */
async function addOlder(context: RequestContext, object: ObjectType, query: SearchQuery, findings: Findings) {
  if (query.terms.length > 0 && !findings.hasExact()) {
    findings.add(await scanLabelsAndKeys(context, object, query), 0)
  }
  if (findings.suffice()) return
  await addWithoutErrors(findings, query, (tsquery) => findMatchingAmongNewest(context, object, tsquery, MOST_READ))
}

type Match = (tsquery: string) => Promise<readonly Candidate[]>

/** Of too many that begin so, those with the very words must not be missed. */
async function addWithoutErrors(
  findings: Findings,
  query: SearchQuery,
  match: Match,
  isCommon?: (word: string) => boolean,
): Promise<void> {
  const begun = await match(beginnings(query, isCommon))
  findings.add(begun, 0)
  if (begun.length === MOST_RANKED) findings.add(await match(wholeWords(query)), 0)
}

/** Gathers what was found, each record once. */
function startFindings(context: RequestContext, object: ObjectType, query: SearchQuery, limit: number): Findings {
  const found = new Map<string, Found>()
  const key = keyIn(context, object, query.text)
  const add = (candidates: readonly Candidate[], errors: Errors) => {
    for (const candidate of candidates) {
      if (found.has(candidate.id)) continue
      const rank = rankOf(query, candidate, key, errors)
      if (rank !== undefined) found.set(candidate.id, foundAs(object, candidate, rank))
    }
  }
  return {
    limit,
    add,
    async addKeys() {
      const id = isUuid(query.text) ? query.text : null
      for (const candidates of await findByKey(context, object, id, key)) add(candidates, 0)
    },
    suffice: () => found.size >= limit || found.values().some(({ rank }) => rank === SAME_KEY),
    isEmpty: () => found.size === 0,
    hasExact: () => found.values().some(({ rank }) => rank <= SAME_LABEL),
    all: () => [...found.values()],
  }
}

const foundAs = (object: ObjectType, { id, createdAt }: Candidate, rank: number): Found => ({
  object,
  id,
  createdAt: microsFromPostgres(createdAt),
  rank,
})

/** What the text means as an email address or domain of the object; undefined when it is none. */
function keyIn({ model }: RequestContext, object: ObjectType, text: string): string | undefined {
  const attribute = keyAttribute(object)
  if (!attribute?.is_unique) return undefined
  try {
    return matchingKey(text, attribute, model)
  } catch (error) {
    if (error instanceof InvalidValue || error instanceof ApiError) return undefined
    throw error
  }
}
