/**
 * Looks up the records that the values of a file refer to. It caches the records it found, since many rows name the same
 * few, and combines the lookups of rows that are converted together into one statement.
 */

import type { Sql } from '#db/connect'
import type { RecordLookup } from '#engine/attribute-types/define'
import type { Attribute, DataModel, RecordType } from '#engine/data-model/model'
import { createLru } from '#base/caching/caching'
import { storedKey } from '#engine/storage/unique-keys'
import { findByIds, findByKeys, findByTexts } from '#engine/storage/statements/read-many-records'
import { getObject, isRecordId } from '#engine/data-model/find'
import { isUuid } from '#vocabulary/uuids'
import { columnName } from '#engine/attribute-types/definition/columns'
import { type Identification, type IdentifiedRow, nameMember } from './identify'
import type { BackgroundContext } from '#engine/entities/write/background-context'

const MAX_CACHED = 10_000

/** Returns the ids of the records that exist, by text. */
type FindMany = (texts: readonly string[]) => Promise<ReadonlyMap<string, string>>
type FindOne = (text: string) => Promise<string | undefined>

/** Does not cache failures, since a record that is missing now may be created later. */
export function createTargetLookup(sql: Sql, model: DataModel): RecordLookup {
  const byId = new Map<RecordType, FindOne>()
  const byKey = new Map<Attribute, FindOne>()
  const finderOf = <K>(finders: Map<K, FindOne>, key: K, find: FindMany): FindOne => {
    const finder = finders.get(key) ?? cacheFound(combineLookups(find))
    finders.set(key, finder)
    return finder
  }
  return {
    async recordExists(object, id) {
      const find = finderOf(byId, object, (ids) => findByIds(sql, object, ids))
      return (await find(id)) !== undefined
    },
    findRecordByKey(_object, attribute, key) {
      const find = finderOf(byKey, attribute, (keys) => findByKeys(sql, model, attribute, keys))
      return find(storedKey(key))
    },
  }
}

function cacheFound(find: FindOne): FindOne {
  const ids = createLru<string, string>(MAX_CACHED)
  return async (text) => {
    const cached = ids.get(text)
    if (cached !== undefined) return cached
    const id = await find(text)
    if (id === undefined) return undefined
    ids.set(detachString(text), id)
    return id
  }
}

/** Combines all lookups that begin before the next microtask into one call. */
function combineLookups(find: FindMany): FindOne {
  let pending: { readonly texts: Set<string>; readonly answer: ReturnType<FindMany> } | undefined
  const begin = () => {
    const texts = new Set<string>()
    const answer = Promise.resolve().then(() => {
      pending = undefined
      return find([...texts])
    })
    return { texts, answer }
  }
  return async (text) => {
    pending ??= begin()
    const { texts, answer } = pending
    texts.add(text)
    return (await answer).get(text)
  }
}

/**
 * Copies a string. A slice of a longer string keeps all of that string in memory, so a cache of a few characters of a file
 * would keep the file.
 */
export const detachString = (text: string): string => Buffer.from(text).toString()

// Finds the records that the rows of a batch match.

export interface MatchOptions {
  readonly importContext: BackgroundContext
  readonly objectId: string
  readonly identification: Identification
}

/** The ids of the records that each row matches. Several ids mean that the match is ambiguous. */
export async function findMatches(
  { importContext, objectId, identification }: MatchOptions,
  rows: readonly IdentifiedRow[],
): Promise<string[][]> {
  const { model, db } = importContext.context()
  const { match, fallback } = identification
  const byKey = await findMatchingRecords(
    importContext,
    objectId,
    match,
    rows.flatMap(({ keys }) => keys),
  )
  const names = rows.flatMap(({ keys, name }) => (keys.length === 0 && name !== undefined ? [name] : []))
  const byName = fallback
    ? await findByTexts(db.sql, getObject(model, objectId), columnName(fallback, nameMember(fallback)), [
        ...new Set(names),
      ])
    : new Map<string, string[]>()
  return rows.map(({ keys, name }) => {
    if (keys.length === 0) return byName.get(name ?? '') ?? []
    const ids = keys.flatMap((key) => byKey.get(key) ?? [])
    return ids.length > 1 ? [...new Set(ids)] : ids
  })
}

/** The ids of records by the keys of the matching attribute. */
async function findMatchingRecords(
  importContext: BackgroundContext,
  objectId: string,
  match: Attribute | undefined,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { model, db } = importContext.context()
  if (match === undefined) return new Map()
  return isRecordId(match)
    ? findByIds(db.sql, getObject(model, objectId), keys.filter(isUuid))
    : findByKeys(db.sql, model, match, keys)
}
