/**
 * Finds the records that the values of a file refer to: many rows name the same few, and what rows of one moment ask for
 * goes in one statement.
 */

import type { Sql } from '../../../db/connect'
import type { RecordLookup } from '../../attribute-types/define'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import { createLru } from '../../caching/lru'
import { storedKey } from '../../storage/unique-keys'
import { findByIds, findByKeys } from './find-records'
import { detachString } from '../csv/detach-string'

const MOST_REMEMBERED = 10_000

/** Ids of records by what they are looked for by; what is not there is missing. */
type Find = (texts: readonly string[]) => Promise<ReadonlyMap<string, string>>
type FindOne = (text: string) => Promise<string | undefined>

/** Only what was found is cache; the rest may come into being meanwhile. */
export function createTargetLookup(sql: Sql, model: DataModel): RecordLookup {
  const byId = new Map<ObjectType, FindOne>()
  const byKey = new Map<Attribute, FindOne>()
  const finder = <K>(finders: Map<K, FindOne>, of: K, find: Find): FindOne => {
    const known = finders.get(of) ?? remember(together(find))
    finders.set(of, known)
    return known
  }
  return {
    async recordExists(object, id) {
      const find = finder(byId, object, (ids) => findByIds(sql, object, ids))
      return (await find(id)) !== undefined
    },
    findRecordByKey(_object, attribute, key) {
      const find = finder(byKey, attribute, (keys) => findByKeys(sql, model, attribute, keys))
      return find(storedKey(key))
    },
  }
}

function remember(find: FindOne): FindOne {
  const found = createLru<string, string>(MOST_REMEMBERED)
  return async (text) => {
    const known = found.get(text)
    if (known !== undefined) return known
    const id = await find(text)
    if (id === undefined) return undefined
    found.set(detachString(text), id)
    return id
  }
}

/** Waits for all that is asked without anybody having waited, and finds it at once. */
function together(find: Find): FindOne {
  let asked: { readonly texts: Set<string>; readonly answer: ReturnType<Find> } | undefined
  const begin = () => {
    const texts = new Set<string>()
    const answer = Promise.resolve().then(() => {
      asked = undefined
      return find([...texts])
    })
    return { texts, answer }
  }
  return async (text) => {
    asked ??= begin()
    const { texts, answer } = asked
    texts.add(text)
    return (await answer).get(text)
  }
}
