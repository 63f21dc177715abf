/** Remembers which records the values of a file refer to: many rows name the same few. */

import type { RecordLookup } from '../attribute-types/define'

const MOST_REMEMBERED = 10_000

/** Only what was found is remembered; the rest may come into being meanwhile. */
export function rememberTargets(lookup: RecordLookup): RecordLookup {
  const found = new Map<string, string>()
  const remember = async (key: string, find: () => Promise<string | undefined>): Promise<string | undefined> => {
    const known = found.get(key)
    if (known !== undefined) return known
    const id = await find()
    if (id === undefined) return undefined
    if (found.size >= MOST_REMEMBERED) found.clear()
    found.set(key, id)
    return id
  }
  return {
    async recordExists(object, id) {
      const known = await remember(`${object.id} ${id}`, async () =>
        (await lookup.recordExists(object, id)) ? id : undefined,
      )
      return known !== undefined
    },
    findRecordByKey: (object, attribute, key) =>
      remember(`${attribute.id} ${key}`, () => lookup.findRecordByKey(object, attribute, key)),
  }
}
