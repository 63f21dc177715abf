import { runOnLookupPool } from '#db/lookup-pool'
import type { ApiContext } from '#context'
import { findAttribute, getWritableObject, visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import {
  matchingAttributeNotUnique,
  missingValue,
  multipleMatches,
  unknownMatchingAttribute,
} from '#base/errors/records'
import type { MultiselectWrite } from '#engine/entities/write/apply-values'
import { mergeAssignments, readAssignments } from '#engine/entities/write/assignments'
import { retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import type { Row } from '#engine/storage/layout'
import type { Assignment } from '#engine/entities/write/parse-values'
import { findEntitiesByKeys, type StoredEntity } from '#engine/storage/read-entities'
import { UniqueKeyConflict, uniqueKeys } from '#engine/storage/unique-keys'
import { writeEntity } from '#engine/entities/write/update-entity'
import { VersionConflict } from '#engine/storage/preconditions'
import { type AnsweredRecord, answerRecord } from './render'
import { insertRecord, OVERWRITE } from './write'
import { attributeType } from '#engine/attribute-types/registry'
import { closestSlug } from '#engine/data-model/access/hidden'
import { missingParameter } from '#base/errors/http'

export interface Upsert {
  readonly matchingAttribute: string | undefined
  readonly values: Record<string, unknown>
  /** Values for a new record only. `values` override them. */
  readonly valuesOnCreate: Record<string, unknown>
}

/**
 * Updates the record that has one of the payload's values of the matching attribute, or creates it. The matching
 * attribute gains values, the values of every other multiselect are replaced. Two concurrent requests write the same record.
 * Throws 400 for the parameter and for values that match two records. See docs/reference/records.md (Assert).
 */
export const upsertRecord = (context: ApiContext, slugOrId: string, upsert: Upsert): Promise<AnsweredRecord> =>
  retryOnConflict(context, async (context, writeTry) => {
    const object = getWritableObject(context.model, slugOrId)
    const matching = getMatchingAttribute(context.model, object, upsert.matchingAttribute)
    const given = await readAssignments(context, object, upsert.values, OVERWRITE, writeTry)
    const matched = await findMatch(context, object, matching, given)
    const row = matched
      ? await updateMatch(context, object, matching, given, { matched, locking: writeTry.locking })
      : await insertUnlessMatched(
          context,
          object,
          matching,
          await withCreateOnly(context, object, given, upsert, writeTry),
          writeTry,
        )
    return answerRecord(context, object, row)
  })

/** Finds the one record with any of the values of the matching attribute. */
async function findMatch(
  { db, model }: ApiContext,
  object: ObjectType,
  matching: Attribute,
  given: readonly Assignment[],
): Promise<StoredEntity | undefined> {
  const values = given.find(({ attribute }) => attribute === matching)?.values ?? []
  if (values.length === 0) throw missingValue(matching.id)
  const keys = uniqueKeys(matching, values)
  const attributes = given.map(({ attribute }) => attribute)
  const [first, ...others] = await runOnLookupPool(db, (sql) =>
    findEntitiesByKeys(sql, model, object, keys, attributes),
  )
  if (first && others.length > 0) {
    const ids = [first, ...others].map(({ id }) => id).join(', ')
    throw multipleMatches(`Multiple records match the values of attribute "${matching.api_slug}": ${ids}.`)
  }
  return first
}

/** The matching attribute gains values, the values of every other multiselect are replaced. */
export const upsertWriteOf =
  (matching: Attribute) =>
  ({ attribute }: Pick<Assignment, 'attribute'>): MultiselectWrite =>
    attribute === matching ? 'append' : 'overwrite'

async function updateMatch(
  context: ApiContext,
  entityType: ObjectType,
  matching: Attribute,
  assignments: readonly Assignment[],
  { matched, locking }: { matched: StoredEntity; locking: boolean },
): Promise<Row> {
  const multiselectWriteOf = upsertWriteOf(matching)
  const writing = { context, entityType, id: matched.id, locking, found: matched }
  const row = await writeEntity(writing, async () => ({ assignments, multiselectWriteOf }))
  // The record was deleted between the look-up and the write: the retry creates it.
  if (!row) throw new VersionConflict()
  return row
}

/** Creates the record. When a concurrent request created one that matches, throws a version conflict, and the retry finds it. */
async function insertUnlessMatched(
  context: ApiContext,
  object: ObjectType,
  matching: Attribute,
  assignments: readonly Assignment[],
  writeTry: WriteTry,
): Promise<Row> {
  try {
    return await insertRecord(context, object, assignments, writeTry)
  } catch (error) {
    if (!(error instanceof UniqueKeyConflict)) throw error
    throw (await findMatch(context, object, matching, assignments)) ? new VersionConflict() : error
  }
}

/** Returns the values of a new record: `values` and `valuesOnCreate`. */
export async function withCreateOnly(
  context: ApiContext,
  object: ObjectType,
  given: readonly Assignment[],
  { valuesOnCreate }: Upsert,
  writeTry: WriteTry,
): Promise<Assignment[]> {
  return mergeAssignments(given, await readAssignments(context, object, valuesOnCreate, OVERWRITE, writeTry))
}

/**
 * Returns the matching attribute that a request names. Throws 400 when it names none, when the attribute does not exist,
 * and when it is not unique. See docs/reference/records.md (Assert).
 */
export function getMatchingAttribute(
  model: DataModel,
  entityType: ObjectType,
  slugOrId: string | undefined,
): Attribute {
  if (slugOrId === undefined || slugOrId === '') throw missingParameter('matching_attribute')
  const visible = visibleAttributes(model, entityType)
  const attribute = findAttribute(entityType, slugOrId)
  const matching = visible.filter(canMatch)
  if (!attribute || !visible.includes(attribute))
    throw unknownMatchingAttribute(slugOrId, closestSlug(slugOrId, matching))
  if (!canMatch(attribute)) {
    throw matchingAttributeNotUnique(
      attribute.api_slug,
      matching.map(({ api_slug }) => api_slug),
    )
  }
  return attribute
}

const canMatch = ({ is_unique, stored_in, type }: Attribute): boolean =>
  is_unique && stored_in === 'columns' && attributeType(type).allows.match
