/** Searches several objects. See docs/reference/search.md. */

import type { RequestContext } from '#context'
import type { ObjectType } from '#engine/data-model/model'
import { findInObject } from './find-in-object'
import { readSearchQuery } from './read-query'
import { type DisplayedRecord, readDisplayed } from './store'
import type { RankedRecord } from './search-results'

export interface Hit extends DisplayedRecord {
  readonly object: ObjectType
}

/** The best records of all objects together. An empty query returns the newest. */
export async function search(
  context: RequestContext,
  objects: readonly ObjectType[],
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

async function readHits(context: RequestContext, object: ObjectType, best: readonly RankedRecord[]): Promise<Hit[]> {
  const ids = best.filter((each) => each.object === object).map(({ id }) => id)
  if (ids.length === 0) return []
  return (await readDisplayed(context, object, ids)).map((displayed) => ({ ...displayed, object }))
}
