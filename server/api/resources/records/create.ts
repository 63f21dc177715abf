import type { ApiContext } from '#context'
import { getWritableObject } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import { newId } from '#base/ids'
import { completeAssignments, readAssignments } from '#engine/entities/write/assignments'
import { retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { createEntity } from '#engine/entities/write/create-entity'
import type { Row } from '#engine/storage/layout'
import type { Assignment } from '#engine/entities/write/parse-values'
import { type AnsweredRecord, answerRecord } from './answer'

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
