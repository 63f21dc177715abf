/**
 * Upserts several records as if one request after the other did, with one look-up for all of them, one statement for those that exist
 * and one for those that do not. Decision 0130.
 */

import type { ApiContext } from '#context'
import { getWritableObject } from '#engine/data-model/find'
import type { Attribute, ObjectType } from '#engine/data-model/model'
import { createTogether } from '#engine/entities/batch/create-together'
import type { Answer, Outcome, WrittenTogether } from '#engine/entities/batch/outcome'
import { updateTogether } from '#engine/entities/batch/update-together'
import { completeAssignments } from '#engine/entities/write/assignments'
import type { Assignment } from '#engine/entities/write/parse-values'
import { retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { refusalOf } from '#base/errors/api-error'
import { newId } from '#base/ids'
import { VersionConflict } from '#engine/storage/preconditions'
import { storedIn } from '#engine/storage/provenance'
import { findByKeys } from '#engine/storage/statements/read-many-records'
import { uniqueKeys } from '#engine/storage/unique-keys'
import { getMatchingAttribute } from '#api/resources/records/matching-attribute'
import { type Upsert, upsertWriteOf, withCreateOnly } from '#api/resources/records/upsert'
import { type AcceptedUpsert, readFirst, type ReadUpsert, readValues } from './read-upserts'

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
