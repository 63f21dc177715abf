/**
 * Undoes an import in batches: puts back the values that it changed, and then moves the records that it created to the trash. What
 * was changed since stays. See docs/decisions/import-runs-and-undo.md.
 */

import { findRecordsWithAttachments } from '#engine/attachments/find-attached'
import type { ApiContext, RequestContext } from '#context'
import { getWritableObject } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import { deleteRecordEntities, type PrepareErasure } from '#engine/entities/write/delete-entity'
import { missingRecord } from '#engine/entities/read/etag'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { type ApiError, refusalOf } from '#base/errors/api-error'
import { changedSinceImport } from '#base/errors/imports'
import {
  findImportedRecord,
  readImportCreations,
  readImportUpdates,
  type WrittenByImport,
} from '#engine/storage/imports/imported-records'
import { VersionConflict } from '#engine/storage/preconditions'
import { putValuesBack } from './put-values-back'

/** A key that sorts as the undo walks, and the id of a record. */
type Position = readonly [key: string, id: string]

/** The key of all updates, which come before the creations. */
const UPDATES = '1'
const NO_ID = '00000000-0000-0000-0000-000000000000'

/** The next records that the import wrote and that still exist. None after the last one. */
export async function readNextToUndo(
  { db, model }: RequestContext,
  object: ObjectType,
  written: WrittenByImport,
  { after, limit }: { readonly after: Position | null; readonly limit: number },
): Promise<readonly Position[]> {
  const [key, id] = after ?? [UPDATES, NO_ID]
  if (key === UPDATES) {
    const ids = await readImportUpdates(db.sql, model, object, { ...written, after: id, limit })
    if (ids.length > 0) return ids.map((one): Position => [UPDATES, one])
  }
  const page = { importId: written.importId, after: placeOf(key), limit }
  const creations = await readImportCreations(db.sql, model, object, page)
  return creations.map((one): Position => [keyOf(one), one.id])
}

const keyOf = ({ sequence, index }: { sequence: number; index: number }): string =>
  `2 ${String(sequence).padStart(16, '0')} ${String(index).padStart(8, '0')}`

function placeOf(key: string): { sequence: number; index: number } {
  const [, sequence = '0', index = '0'] = key.split(' ')
  return { sequence: Number(sequence), index: Number(index) }
}

/** Undoes what the import did to these records. Returns an empty text or a refusal for each. */
export async function undoRecords(
  context: ApiContext,
  objectId: string,
  { prepareErasure, ...written }: WrittenByImport & { readonly prepareErasure: PrepareErasure },
  ids: readonly string[],
): Promise<readonly (string | ApiError)[]> {
  const attached = await findRecordsWithAttachments(context.db.sql, context.model, ids)
  const results: (string | ApiError)[] = []
  for (const id of ids) {
    const undone = undoOne(context, objectId, written, { id, hasAttachments: attached.has(id), prepareErasure })
    results.push(await undone.then(() => '', refusalOf))
  }
  return results
}

interface UndoneRecord {
  readonly id: string
  readonly hasAttachments: boolean
  readonly prepareErasure: PrepareErasure
}

const undoOne = (
  context: ApiContext,
  objectId: string,
  written: WrittenByImport,
  { id, hasAttachments, prepareErasure }: UndoneRecord,
): Promise<void> =>
  retryOnConflict(context, async (context, { locking }) => {
    const { db, model, trashDays } = context
    const object = getWritableObject(model, objectId)
    const { importId, startedAt } = written
    const record = await findImportedRecord(db.sql, model, object, { importId, id })
    if (record === undefined) throw await missingRecord(context, object, id)
    if (record.createdAt < startedAt) return putValuesBack(context, object, { importId, id, locking })
    if (record.isChanged || hasAttachments) throw changedSinceImport(id)
    const check = ({ version }: { readonly version: number }) => {
      if (version !== record.version) throw new VersionConflict()
    }
    const deleted = await deleteRecordEntities(context, object, [id], { check, trashDays, prepareErasure })
    if (!deleted.has(id)) throw await missingRecord(context, object, id)
  })
