/** Reads the upserts of a batch, as far as none of them can see the effects of another one. */

import type { ApiContext } from '#context'
import type { Attribute, ObjectType } from '#engine/data-model/model'
import { isIndependent } from '#engine/entities/batch/independent-update'
import { attributesNamed, readAssignments } from '#engine/entities/write/assignments'
import type { Assignment } from '#engine/entities/write/parse-values'
import type { WriteTry } from '#engine/entities/write/retry-on-conflict'
import { ApiError, refusalOf } from '#base/errors/api-error'
import { missingValue } from '#base/errors/records'
import { uniqueKeys } from '#engine/storage/unique-keys'
import { OVERWRITE } from '#api/resources/records/create'
import type { Upsert } from '#api/resources/records/upsert'

/** An upsert that was read, or the reason to refuse it. */
export type ReadUpsert = { readonly upsert: Upsert } & (
  { readonly given: readonly Assignment[]; readonly keys: readonly string[] } | { readonly refusal: ApiError }
)
export type AcceptedUpsert = Extract<ReadUpsert, { readonly keys: unknown }>

/**
 * Reads the upserts before the first one that may change what others show or match, that may name a record which an earlier one
 * creates, or that has a value of an earlier one.
 */
export async function readFirst(
  context: ApiContext,
  object: ObjectType,
  upserts: readonly Upsert[],
  { matching, writeTry }: { readonly matching: Attribute; readonly writeTry: WriteTry },
): Promise<ReadUpsert[]> {
  const read: ReadUpsert[] = []
  const seen = new Set<string>()
  for (const upsert of upserts) {
    if (upsert.matchingAttribute !== upserts[0]?.matchingAttribute) break
    if (![upsert.values, upsert.valuesOnCreate].every((values) => changesOnly(context, object, matching, values))) break
    const given = await readValues(context, object, upsert, writeTry).catch(refusalOf)
    if (given instanceof ApiError) {
      if (given.code === 'value_not_found' && seen.size > 0) break
      read.push({ upsert, refusal: given })
      continue
    }
    const values = given.find(({ attribute }) => attribute === matching)?.values ?? []
    const keys = uniqueKeys(matching, values).map(({ key }) => key)
    if (keys.some((key) => seen.has(key))) break
    for (const key of keys) seen.add(key)
    read.push(keys.length === 0 ? { upsert, refusal: missingValue(matching.id) } : { upsert, given, keys })
  }
  return read
}

export const readValues = async (
  context: ApiContext,
  object: ObjectType,
  { values }: Upsert,
  writeTry: WriteTry,
): Promise<readonly Assignment[]> => readAssignments(context, object, values, OVERWRITE, writeTry)

/** Whether values change no other record, nor unique values of another attribute than the matching one. */
const changesOnly = (
  { model }: ApiContext,
  object: ObjectType,
  matching: Attribute,
  values: Readonly<Record<string, unknown>>,
): boolean =>
  isIndependent(model, object, values) &&
  attributesNamed(object, values).every((attribute) => !attribute.is_unique || attribute === matching)
