/**
 * Upserts several entities by a unique attribute as if one request after the other did, with one look-up for all of them, one statement
 * for those that exist and one for those that do not. See docs/decisions/batches.md.
 */

import type { ApiContext } from '#context'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { type Assignment, attributesNamed } from '#engine/entities/write/parse-values'
import { retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { ApiError, refusalOf } from '#base/errors/api-error'
import { VersionConflict } from '#engine/storage/preconditions'
import { storedIn } from '#engine/storage/provenance'
import { findByKeys } from '#engine/storage/statements/read-many-records'
import { uniqueKeys } from '#engine/storage/unique-keys'
import { missingValue } from '#base/errors/records'
import { createTogether } from './create-together'
import type { CreateOperation, EntityUpsert, UpdateOperation, UpsertOperation } from './definitions'
import { getMatchingAttribute, upsertWriteOf } from './match-by-attribute'
import type { Answer, Outcome, WrittenTogether } from './together'
import { isIndependent, updateTogether } from './update-together'

interface UpsertTogether<Result> {
  readonly answer: Answer
  resultsOf(written: WrittenTogether): readonly Result[]
  /** Runs an upsert that shares no statement after all. It follows those that do, whose effects it may see. */
  runAlone(upsert: EntityUpsert): Promise<Result>
}

/** What was found out about the first upserts with one look-up. */
interface Found {
  readonly context: ApiContext
  readonly read: readonly ReadUpsert[]
  readonly unmatched: readonly AcceptedUpsert[]
  /** Each matches another entity. */
  readonly matched: readonly (AcceptedUpsert & { readonly id: string })[]
}

/**
 * Upserts as many of the first entities as cannot see the effects of each other: they name the same matching attribute, no other unique
 * one, and each another value of it. Returns their results, of which there may be none.
 */
export async function upsertTogether<Result>(
  upsert: UpsertOperation,
  context: ApiContext,
  upserts: readonly EntityUpsert[],
  { answer, resultsOf, runAlone }: UpsertTogether<Result>,
): Promise<readonly Result[]> {
  const found = await retryOnConflict(context, (context, writeTry) =>
    findMatches(upsert, context, upserts, { ...writeTry, assumeExists: true }),
  )
  const results = new Map<EntityUpsert, Result>()
  const take = (inputs: readonly AcceptedUpsert[], written: WrittenTogether) => {
    const rendered = resultsOf(written)
    inputs.forEach(({ upsert }, index) => {
      const [outcome, result] = [written.outcomes[index], rendered[index]]
      if (outcome === undefined || result === undefined || isTaken(outcome)) return
      results.set(upsert, result)
    })
  }
  if (found.unmatched.length > 0) take(found.unmatched, await createUnmatched(upsert, found, answer))
  if (found.matched.length > 0) take(found.matched, await updateMatched(upsert, found, answer))
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
  upsert: UpsertOperation,
  context: ApiContext,
  upserts: readonly EntityUpsert[],
  writeTry: WriteTry,
): Promise<Found> {
  const matching = findMatchingAttribute(context, upsert.entityTypeOf(context), upserts)
  if (matching === undefined) return { context, read: [], unmatched: [], matched: [] }
  const read = await readFirst(upsert, context, upserts, { matching, writeTry })
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
  entityType: EntityType,
  [first]: readonly EntityUpsert[],
): Attribute | undefined {
  try {
    return getMatchingAttribute(model, entityType, first?.matchingAttribute)
  } catch (error) {
    refusalOf(error)
    return undefined
  }
}

/** The values that were read, unless a retry has another data model or must look for records that the first try assumed. */
const givenValues = async (
  upsert: UpsertOperation,
  context: ApiContext,
  { found, input }: { readonly found: Found; readonly input: AcceptedUpsert },
  writeTry: WriteTry,
): Promise<readonly Assignment[]> =>
  context.model === found.context.model && writeTry.assumeExists
    ? input.given
    : upsert.read(context, upsert.entityTypeOf(context), input.upsert, writeTry)

function createUnmatched(upsert: UpsertOperation, found: Found, answer: Answer): Promise<WrittenTogether> {
  const creation: CreateOperation<AcceptedUpsert> = {
    ...upsert,
    async read(context, entityType, input, writeTry) {
      const given = await givenValues(upsert, context, { found, input }, writeTry)
      return upsert.readNew(context, entityType, { given, upsert: input.upsert }, writeTry)
    },
  }
  return createTogether(creation, found.context, found.unmatched, answer)
}

function updateMatched(upsert: UpsertOperation, found: Found, answer: Answer): Promise<WrittenTogether> {
  const update: UpdateOperation<Found['matched'][number]> = {
    ...upsert,
    idOf: ({ id }) => id,
    valuesOf: ({ upsert: { values } }) => values,
    async decide(context, entityType, input, { entity, writeTry }) {
      const matching = getMatchingAttribute(context.model, entityType, input.upsert.matchingAttribute)
      const keys = uniqueKeys(matching, storedIn(entity.valuesOf(matching)))
      // Another request took the value from the entity after the look-up.
      if (!keys.some(({ key }) => input.keys.includes(key))) throw new VersionConflict()
      const assignments = await givenValues(upsert, context, { found, input }, writeTry)
      return { assignments, multiselectWriteOf: upsertWriteOf(matching) }
    },
    // The entity was deleted after the look-up. An upsert that runs alone creates it.
    missing: () => Promise.reject(new VersionConflict()),
  }
  return updateTogether(update, found.context, found.matched, answer)
}

// Reads the upserts of a batch, as far as none of them can see the effects of another one.

/** An upsert that was read, or the reason to refuse it. */
type ReadUpsert = { readonly upsert: EntityUpsert } & (
  { readonly given: readonly Assignment[]; readonly keys: readonly string[] } | { readonly refusal: ApiError }
)
type AcceptedUpsert = Extract<ReadUpsert, { readonly keys: unknown }>

/**
 * Reads the upserts before the first one that may change what others show or match, that may name a record which an earlier one
 * creates, or that has a value of an earlier one.
 */
async function readFirst(
  { entityTypeOf, read: readValues }: UpsertOperation,
  context: ApiContext,
  upserts: readonly EntityUpsert[],
  { matching, writeTry }: { readonly matching: Attribute; readonly writeTry: WriteTry },
): Promise<ReadUpsert[]> {
  const entityType = entityTypeOf(context)
  const read: ReadUpsert[] = []
  const seen = new Set<string>()
  for (const upsert of upserts) {
    if (upsert.matchingAttribute !== upserts[0]?.matchingAttribute) break
    if (!changesOnly(context, entityType, matching, upsert)) break
    const given = await readValues(context, entityType, upsert, writeTry).catch(refusalOf)
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

/** Whether an upsert changes no other entity, nor unique values of another attribute than the matching one. */
function changesOnly(
  { model }: ApiContext,
  entityType: EntityType,
  matching: Attribute,
  { values, valuesOnCreate }: EntityUpsert,
): boolean {
  for (const given of [values, valuesOnCreate]) {
    if (!isIndependent(model, entityType, given)) return false
    for (const attribute of attributesNamed(entityType, given))
      if (attribute.is_unique && attribute !== matching) return false
  }
  return true
}
