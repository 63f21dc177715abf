/** Searches objects together. See docs/reference/search.md. */

import type { RequestContext } from '../context'
import type { ObjectType } from '../data-model/model'
import { findInObject, type Found } from './find'
import { readSearchQuery } from './read-query'
import { readShown, type Shown } from './store'

export interface Hit extends Shown {
  readonly object: ObjectType
}

/** The best records of all objects, whichever they are of; with an empty query the newest. */
export async function search(
  context: RequestContext,
  objects: readonly ObjectType[],
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<Hit[]> {
  const read = readSearchQuery(query)
  const found = await Promise.all(objects.map((object) => findInObject(context, object, read, limit)))
  const best = found.flat().sort(bestFirst).slice(0, limit)
  const shown = await Promise.all(objects.map((object) => show(context, object, best)))
  const byId = new Map(shown.flat().map((hit) => [hit.id, hit]))
  return best.flatMap(({ id }) => byId.get(id) ?? [])
}

/** Equally good ones by age, the newest first. */
const bestFirst = (one: Found, other: Found): number =>
  one.rank - other.rank || other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1)

async function show(context: RequestContext, object: ObjectType, best: readonly Found[]): Promise<Hit[]> {
  const ids = best.filter((found) => found.object === object).map(({ id }) => id)
  if (ids.length === 0) return []
  return (await readShown(context, object, ids)).map((shown) => ({ ...shown, object }))
}
