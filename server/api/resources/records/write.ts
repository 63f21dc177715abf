/** Creates, updates, deletes and merges records, and writes histories of values. See docs/reference/records.md. */

import type { ApiContext } from '#context'
import { getWritableObject } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import { newId } from '#base/ids'
import { attributesNamed, completeAssignments, readAssignments } from '#engine/entities/write/assignments'
import { retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { createEntity } from '#engine/entities/write/create-entity'
import type { Row } from '#engine/storage/layout'
import type { Assignment } from '#engine/entities/write/parse-values'
import { type AnsweredRecord, answerRecord } from './render'
import type { MultiselectWrite } from '#engine/entities/write/apply-values'
import { missingRecord, recordIdOf, requireMatch } from '#engine/entities/read/etag'
import { writeEntity } from '#engine/entities/write/update-entity'
import { deleteRecordEntities, purgeRecordEntity } from '#engine/entities/write/delete-entity'
import { eventOriginOf } from '#engine/outbox/outbox'
import { erasureWith } from '#api/erasure/erase-records'
import type { ApiError } from '#base/errors/api-error'
import { invalidQuery } from '#base/errors/http'
import { requireAllScopes } from '#base/errors/access'
import type { StoredEntity } from '#engine/storage/read-entities'
import { selfMerge } from '#base/errors/records'
import { mergeEntities } from '#engine/entities/merge/merge-entities'
import { type DatedValueInput, writeValues } from '#engine/entities/history/write-values'
import type { ValuesPath } from './read'

/** The values of the request replace those of every multiselect. */
export const OVERWRITE = { member: 'values', appends: false } as const

/**
 * Creates a record with the given values and the object's default values, and returns it.
 * Throws 404 for the object, 400 for values.
 * See docs/reference/records.md (Create) and docs/reference/values.md (The order of checks).
 */
export const createRecord = (
  context: ApiContext,
  slugOrId: string,
  values: Record<string, unknown>,
): Promise<AnsweredRecord> =>
  retryOnConflict(context, async (context, writeTry) => {
    const object = getWritableObject(context.model, slugOrId)
    const given = await readAssignments(context, object, values, OVERWRITE, writeTry)
    return answerRecord(context, object, await insertRecord(context, object, given, writeTry))
  })

/** Inserts a record with these values and the default values of other attributes. `retryOnConflict` may run it again. */
export async function insertRecord(
  context: ApiContext,
  object: ObjectType,
  given: readonly Assignment[],
  writeTry: WriteTry,
): Promise<Row> {
  const assignments = await completeAssignments(context, object, given, writeTry)
  return createEntity(context, object, { id: newId(), assignments })
}

export interface RecordUpdate {
  readonly values: Record<string, unknown>
  /** PATCH adds to multiselects, PUT replaces them. */
  readonly multiselectWrite: MultiselectWrite
  /** The `If-Match` header. */
  readonly ifMatch: string | null
}

/**
 * Writes values to a record and returns it. Attributes that the request does not name stay unchanged.
 * Throws 404 for object and record, 400 for values, 412 when the record has another version.
 * See docs/reference/records.md (Update) and docs/reference/values.md (The order of checks).
 */
export const updateRecord = (
  context: ApiContext,
  object: string,
  recordId: string,
  update: RecordUpdate,
): Promise<AnsweredRecord> =>
  retryOnConflict(context, async (context, writeTry) => {
    const entityType = getWritableObject(context.model, object)
    const id = recordIdOf(recordId)
    const writing = {
      context,
      entityType,
      id,
      locking: writeTry.locking,
      attributes: attributesNamed(entityType, update.values),
    }
    const row = await writeEntity(writing, async (db, entity) => {
      requireMatch(entity, update.ifMatch)
      const parsing = { member: 'values', appends: update.multiselectWrite === 'append' } as const
      const assignments = await readAssignments(context, entityType, update.values, parsing, writeTry, db)
      return { assignments, multiselectWriteOf: () => update.multiselectWrite }
    })
    if (!row) throw await missingRecord(context, entityType, id)
    return answerRecord(context, entityType, row)
  })

interface DeleteOptions {
  readonly ifMatch: string | null
  /** Whether the record is not kept in the trash, and deleted from it. */
  readonly isPermanent?: boolean
  /** Whether the texts of its tasks are erased as well. Only with `isPermanent`. */
  readonly erasesTasks?: boolean
}

/**
 * Deletes a record and ends references to it. Throws 404 for object and record, 412 when it has another version than
 * `ifMatch` names, 400 and 403 for `erasesTasks`. See docs/reference/records.md (Delete) and docs/reference/trash.md.
 */
export const deleteRecord = (
  context: ApiContext,
  object: string,
  recordId: string,
  { ifMatch, isPermanent = false, erasesTasks = false }: DeleteOptions,
): Promise<object> =>
  retryOnConflict(context, async (context) => {
    const { model, trashDays } = context
    const entityType = getWritableObject(model, object)
    const id = recordIdOf(recordId)
    const check = (entity: StoredEntity) => requireMatch(entity, ifMatch)
    if (erasesTasks) requireErasableTasks(context, isPermanent)
    const prepareErasure = erasureWith({
      now: context.now,
      originOfTasks: erasesTasks ? () => eventOriginOf(context) : undefined,
    })
    const deleted = isPermanent
      ? await purgeRecordEntity(context, entityType, id, { check, prepareErasure })
      : (await deleteRecordEntities(context, entityType, [id], { check, trashDays, prepareErasure })).has(id)
    if (!deleted) throw await missingRecord(context, entityType, id)
    return {}
  })

/**
 * Deletes records with shared statements, as if `deleteRecord` deleted one after the other. The ids differ. Returns an error for each
 * record that does not exist.
 */
export const deleteRecords = (
  context: ApiContext,
  object: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ApiError>> =>
  retryOnConflict(context, async (context) => {
    const { model, trashDays } = context
    const entityType = getWritableObject(model, object)
    const deletion = { check: () => {}, trashDays, prepareErasure: erasureWith({ now: context.now }) }
    const deleted = await deleteRecordEntities(context, entityType, ids, deletion)
    const missing = new Map<string, ApiError>()
    for (const id of ids) if (!deleted.has(id)) missing.set(id, await missingRecord(context, entityType, id))
    return missing
  })

function requireErasableTasks({ scopes }: ApiContext, isPermanent: boolean): void {
  requireAllScopes(scopes, ['task:read-write'])
  if (!isPermanent)
    throw invalidQuery([{ code: 'invalid', path: ['erase_tasks'], message: 'Can only be given with permanent=true' }])
}

/**
 * Merges two records of one object into a new one and returns its id. The new record is readable immediately. Throws 400
 * `self_merge`, 404 for the object, 404 `value_not_found` for a record.
 * See docs/reference/records.md (Merge).
 */
export const mergeRecords = (
  context: ApiContext,
  object: string,
  ids: { readonly primary_record_id: string; readonly secondary_record_id: string },
): Promise<{ data: { new_record_id: string } }> =>
  retryOnConflict(context, async (context) => {
    const entityType = getWritableObject(context.model, object)
    const [primary, secondary] = [ids.primary_record_id.toLowerCase(), ids.secondary_record_id.toLowerCase()]
    if (primary === secondary) throw selfMerge()
    return {
      data: { new_record_id: await mergeEntities(context, entityType, [primary, secondary], context.trashDays) },
    }
  })

/**
 * Replaces the history of one attribute of a record. Throws 404 for object, record and attribute.
 * See docs/reference/values.md (History).
 */
export const writeRecordValues = (
  context: ApiContext,
  path: ValuesPath,
  inputs: readonly DatedValueInput[],
): Promise<string> =>
  retryOnConflict(context, async (context) => {
    const object = getWritableObject(context.model, path.object)
    const id = recordIdOf(path.recordId)
    const text = await writeValues(context, object, id, path.attribute, inputs)
    if (text === undefined) throw await missingRecord(context, object, id)
    return text
  })
