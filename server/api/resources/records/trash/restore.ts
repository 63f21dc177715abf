/** Restores a record from the trash. See docs/reference/trash.md. */

import { listAccess } from '#access/list-access/list-access'
import type { ApiContext } from '#context'
import { entityTypeOf, getWritableObject } from '#engine/data-model/find'
import { recordIdOf } from '#engine/entities/read/path-id'
import { restoreRecordEntity } from '#engine/entities/trash/restore-record'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import type { ApiError } from '#base/errors/api-error'
import { recordNotInTrash, restoreConflict } from '#base/errors/records'
import { VersionConflict } from '#engine/storage/preconditions'
import { findTakenKeys, UniqueKeyConflict } from '#engine/storage/unique-keys'
import { type AnsweredRecord, answerRecord } from '#api/resources/records/answer'

/** Throws 404 for the object and for a record that is not in the trash, 409 for a unique value that another entity has. */
export const restoreRecord = (context: ApiContext, object: string, recordId: string): Promise<AnsweredRecord> =>
  retryOnConflict(context, async (context) => {
    const entityType = getWritableObject(context.model, object)
    const id = recordIdOf(recordId)
    const row = await restoreRecordEntity(context, entityType, id).catch(async (error: unknown) => {
      throw await explainFailure(context, error)
    })
    if (!row) throw recordNotInTrash(id)
    return answerRecord(context, entityType, row)
  })

/** PostgreSQL's code for a row that refers to one that does not exist. */
const FOREIGN_KEY_VIOLATION = '23503'

async function explainFailure(context: ApiContext, error: unknown): Promise<unknown> {
  if (error instanceof UniqueKeyConflict) return (await findConflict(context, error)) ?? error
  // What an attachment refers to was deleted meanwhile. The next try leaves it out.
  if (error instanceof Error && 'code' in error && error.code === FOREIGN_KEY_VIOLATION) return new VersionConflict()
  return error
}

/** The error for the first key that another entity has; undefined if none has one any more. */
async function findConflict(context: ApiContext, { keys }: UniqueKeyConflict): Promise<ApiError | undefined> {
  const { db, model } = context
  const taken = await findTakenKeys(db.sql, model, keys)
  const number = keys.find((key) => taken.some(({ attribute }) => attribute === key.attribute))?.attribute
  const attribute = [...model.attributesById.values()].find((each) => each.number === number)
  if (attribute === undefined) return undefined
  const entityType = entityTypeOf(model, attribute)
  const isVisible = entityType.kind === 'object' || listAccess(context, entityType) !== undefined
  const ids = taken.filter((key) => key.attribute === number).map(({ entity_id }) => entity_id)
  return restoreConflict(isVisible ? attribute.api_slug : undefined, [...new Set(ids)])
}
