/**
 * Upserts several records as if one request after the other did, with one look-up for all of them, one statement for those that exist
 * and one for those that do not. See docs/decisions/batches.md.
 */

import type { ApiContext } from '#context'
import { getWritableObject } from '#engine/data-model/find'
import type { Attribute, ObjectType } from '#engine/data-model/model'
import { createTogether } from '#engine/entities/batch/create-together'
import type { Answer, Outcome, WrittenTogether } from '#engine/entities/batch/run-batch'
import { isIndependent, updateTogether } from '#engine/entities/batch/update-together'
import { attributesNamed, completeAssignments, readAssignments } from '#engine/entities/write/assignments'
import type { Assignment } from '#engine/entities/write/parse-values'
import { retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { ApiError, refusalOf } from '#base/errors/api-error'
import { newId } from '#base/ids'
import { VersionConflict } from '#engine/storage/preconditions'
import { storedIn } from '#engine/storage/provenance'
import { findByKeys } from '#engine/storage/statements/read-many-records'
import { uniqueKeys } from '#engine/storage/unique-keys'
import { getMatchingAttribute, type Upsert, upsertWriteOf, withCreateOnly } from '#api/resources/records/upsert'
import { missingValue } from '#base/errors/records'
import { OVERWRITE } from '#api/resources/records/write'

export interface UpsertTogether<Result> {
  readonly answer: Answer
  resultsOf(written: WrittenTogether<ApiContext>): readonly Result[]
  /** Runs an upsert that shares no statement after all. It follows those that do, whose effects it may see. */
  runAlone(upsert: Upsert): Promise<Result>
}

/** What was found out about the first upserts with one look-up. */
interface Found {
  readonly context: ApiContext
  readonly read: readonly ReadUpsert[]
  readonly unmatched: readonly AcceptedUpsert[]
  /** Each matches another record. */
  readonly matched: readonly (AcceptedUpsert & { readonly id: string })[]
}

/**
 * Upserts as many of the first records as cannot see the effects of each other: they name the same matching attribute, no other unique
 * one, and each another value of it. Returns their results, of which there may be none.
 */
export async function upsertTogether<Result>(
  context: ApiContext,
  slugOrId: string,
  upserts: readonly Upsert[],
  { answer, resultsOf, runAlone }: UpsertTogether<Result>,
): Promise<readonly Result[]> {
  const found = await retryOnConflict(context, (context, writeTry) =>
    findMatches(context, getWritableObject(context.model, slugOrId), upserts, { ...writeTry, assumeExists: true }),
  )
  const results = new Map<Upsert, Result>()
  const take = (inputs: readonly AcceptedUpsert[], written: WrittenTogether<ApiContext>) => {
    const rendered = resultsOf(written)
    inputs.forEach(({ upsert }, index) => {
      const [outcome, result] = [written.outcomes[index], rendered[index]]
      if (outcome === undefined || result === undefined || isTaken(outcome)) return
      results.set(upsert, result)
    })
  }
  if (found.unmatched.length > 0) take(found.unmatched, await createUnmatched(found, slugOrId, answer))
  if (found.matched.length > 0) take(found.matched, await updateMatched(found, slugOrId, answer))
  const all: Result[] = []
  for (const each of found.read) {
    const refused = 'refusal' in each ? resultsOf({ outcomes: [each], context: found.context })[0] : undefined
    all.push(refused ?? results.get(each.upsert) ?? (await runAlone(each.upsert)))
  }
  return all
}

/** A concurrent request created a record with the same value. An upsert that runs alone finds it. */
const isTaken = (outcome: Outcome): boolean => 'refusal' in outcome && outcome.refusal.code === 'uniqueness_conflict'

async function findMatches(
  context: ApiContext,
  object: ObjectType,
  upserts: readonly Upsert[],
  writeTry: WriteTry,
): Promise<Found> {
  const matching = findMatchingAttribute(context, object, upserts)
  if (matching === undefined) return { context, read: [], unmatched: [], matched: [] }
  const read = await readFirst(context, object, upserts, { matching, writeTry })
  const accepted = read.filter((each) => 'keys' in each)
  const keys = accepted.flatMap((each) => each.keys)
  const ids = await findByKeys(context.db.sql, context.model, matching, keys)
  const unmatched: AcceptedUpsert[] = []
  const matched = new Map<string, Found['matched'][number]>()
  for (const each of accepted) {
    const [id, ...others] = new Set(each.keys.flatMap((key) => ids.get(key) ?? []))
    if (id === undefined) unmatched.push(each)
    // Others run alone: one that matches several records, and one that matches the record of an earlier one by another value.
    else if (others.length === 0 && !matched.has(id)) matched.set(id, { ...each, id })
  }
  return { context, read, unmatched, matched: [...matched.values()] }
}

/** Undefined if the first upsert names none, for which it is refused alone. */
function findMatchingAttribute(
  { model }: ApiContext,
  object: ObjectType,
  [first]: readonly Upsert[],
): Attribute | undefined {
  try {
    return getMatchingAttribute(model, object, first?.matchingAttribute)
  } catch (error) {
    refusalOf(error)
    return undefined
  }
}

/** The values that were read, unless a retry has another data model or must look for records that the first try assumed. */
const givenValues = async (
  context: ApiContext,
  found: Found,
  { upsert, given }: AcceptedUpsert,
  { object, writeTry }: { readonly object: ObjectType; readonly writeTry: WriteTry },
): Promise<readonly Assignment[]> =>
  context.model === found.context.model && writeTry.assumeExists ? given : readValues(context, object, upsert, writeTry)

const createUnmatched = (found: Found, slugOrId: string, answer: Answer): Promise<WrittenTogether<ApiContext>> =>
  createTogether(found.context, found.unmatched, {
    entityTypeOf: ({ model }) => getWritableObject(model, slugOrId),
    async read(context, input, writeTry) {
      const object = getWritableObject(context.model, slugOrId)
      const given = await givenValues(context, found, input, { object, writeTry })
      const all = await withCreateOnly(context, object, given, input.upsert, writeTry)
      return { id: newId(), assignments: await completeAssignments(context, object, all, writeTry) }
    },
    answer,
  })

const updateMatched = (found: Found, slugOrId: string, answer: Answer): Promise<WrittenTogether<ApiContext>> =>
  updateTogether(found.context, found.matched, {
    entityTypeOf: ({ model }) => getWritableObject(model, slugOrId),
    idOf: ({ id }) => id,
    valuesOf: ({ upsert }) => upsert.values,
    async decide(context, input, entity, writeTry) {
      const object = getWritableObject(context.model, slugOrId)
      const matching = getMatchingAttribute(context.model, object, input.upsert.matchingAttribute)
      const keys = uniqueKeys(matching, storedIn(entity.valuesOf(matching)))
      // Another request took the value from the record after the look-up.
      if (!keys.some(({ key }) => input.keys.includes(key))) throw new VersionConflict()
      const assignments = await givenValues(context, found, input, { object, writeTry })
      return { assignments, multiselectWriteOf: upsertWriteOf(matching) }
    },
    // The record was deleted after the look-up. An upsert that runs alone creates it.
    missing: () => Promise.reject(new VersionConflict()),
    answer,
  })

// Reads the upserts of a batch, as far as none of them can see the effects of another one.

/** An upsert that was read, or the reason to refuse it. */
type ReadUpsert = { readonly upsert: Upsert } & (
  { readonly given: readonly Assignment[]; readonly keys: readonly string[] } | { readonly refusal: ApiError }
)
type AcceptedUpsert = Extract<ReadUpsert, { readonly keys: unknown }>

/**
 * Reads the upserts before the first one that may change what others show or match, that may name a record which an earlier one
 * creates, or that has a value of an earlier one.
 */
async function readFirst(
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

const readValues = async (
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
