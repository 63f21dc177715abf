import type { ApiContext } from '#context'
import { getWritableObject } from '#engine/data-model/find'
import type { MultiselectWrite } from '#engine/entities/write/apply-values'
import { attributesNamed, readAssignments } from '#engine/entities/write/assignments'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { requireMatch } from '#engine/entities/read/etag'
import { missingRecord, recordIdOf } from '#engine/entities/read/path-id'
import { writeEntity } from '#engine/entities/write/update-entity'
import { type AnsweredRecord, answerRecord } from './answer'

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
