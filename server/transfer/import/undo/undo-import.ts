/**
 * Undoes an import in batches: puts back the values that it changed, and then moves the records that it created to the trash. What
 * was changed since stays. See docs/decisions/import-runs-and-undo.md.
 */

import { findRecordsWithAttachments } from '#engine/attachments/attachments'
import type { ApiContext, RequestContext } from '#context'
import { getWritableObject } from '#engine/data-model/find'
import { type Attribute, type DataModel, type EntityType, hasRecords } from '#engine/data-model/model'
import { deleteRecordEntities, type PrepareErasure } from '#engine/entities/write/delete-entity'
import { missingRecord } from '#engine/entities/read/etag'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { type ApiError, refusalOf } from '#base/errors/api-error'
import { changedSinceImport } from '#base/errors/imports'
import {
  deleteImportUpdates,
  findImportedRecord,
  type ImportUpdate,
  readImportCreations,
  readImportUpdates,
  readImportUpdatesOf,
  type WrittenByImport,
} from '#engine/storage/imports/imported-records'
import { VersionConflict } from '#engine/storage/preconditions'
import type { Sql, Transaction } from '#db/connect'
import type { Assignment } from '#engine/entities/write/parse-values'
import { writeEntity } from '#engine/entities/write/update-entity'
import { readActive, readEnded, type ValueWithEnd } from '#engine/storage/history'
import { type StoredEntity, createRecordLookup } from '#engine/storage/read-entities'
import type { Stored } from '#engine/attribute-types/define'
import type { DatedValue } from '#engine/storage/provenance'
import type { Micros } from '#base/timing/clock'

/** A key that sorts as the undo walks, and the id of a record. */
type Position = readonly [key: string, id: string]

/** The key of all updates, which come before the creations. */
const UPDATES = '1'
const NO_ID = '00000000-0000-0000-0000-000000000000'

/** The next records that the import wrote and that still exist. None after the last one. */
export async function readNextToUndo(
  { db, model }: RequestContext,
  object: EntityType,
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

/** What an update of entities that are no records of an object is undone with. */
interface UndoneUpdate {
  readonly jobId: string
  /** Throws 404 and 403 for the list or the activity. */
  readonly find: (context: ApiContext) => EntityType
  /** The error for an entity that was deleted. */
  readonly missing: (context: ApiContext, entityType: EntityType, id: string) => Promise<ApiError>
}

/** Puts back what a job changed in these entries or records of an activity. Returns an empty text or a refusal for each. */
export async function undoUpdates(
  context: ApiContext,
  { jobId, find, missing }: UndoneUpdate,
  ids: readonly string[],
): Promise<readonly (string | ApiError)[]> {
  const results: (string | ApiError)[] = []
  for (const id of ids) {
    const undone = retryOnConflict(context, async (context, { locking }) => {
      const entityType = find(context)
      const isFound = await putValuesBack(context, entityType, { importId: jobId, id, locking })
      if (!isFound) throw await missing(context, entityType, id)
    })
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
    if (record.createdAt < startedAt) {
      if (await putValuesBack(context, object, { importId, id, locking })) return
      throw await missingRecord(context, object, id)
    }
    if (record.isChanged || hasAttachments) throw changedSinceImport(id)
    const check = ({ version }: { readonly version: number }) => {
      if (version !== record.version) throw new VersionConflict()
    }
    const deleted = await deleteRecordEntities(context, object, [id], { check, trashDays, prepareErasure })
    if (!deleted.has(id)) throw await missingRecord(context, object, id)
  })

/** Puts back the values that an import or a job changed in an entity that existed before. See docs/decisions/import-runs-and-undo.md. */
interface UpdatedEntity {
  readonly importId: string
  readonly id: string
  readonly locking: boolean
}

/**
 * Writes the earlier values as one update, with history and events. Throws 409 if an attribute was changed since; the others are put
 * back. Returns false for an entity that was deleted.
 */
async function putValuesBack(
  context: RequestContext,
  entityType: EntityType,
  { importId, id, locking }: UpdatedEntity,
): Promise<boolean> {
  const { db, model } = context
  const updates = await readImportUpdatesOf(db.sql, model, { importId, id })
  let isChanged = false
  const row = await writeEntity({ context, entityType, id, locking }, async (sql, entity) => {
    const found = await assignmentsBefore(sql, model, { entityType, entity, updates })
    isChanged = found.isChanged
    return { assignments: found.assignments, multiselectWriteOf: () => 'overwrite' }
  })
  if (row === undefined) return false
  if (isChanged) throw changedSinceImport(id)
  await deleteImportUpdates(db.sql, model, { importId, id })
  return true
}

interface ImportedUpdate {
  readonly entityType: EntityType
  readonly entity: StoredEntity
  readonly updates: readonly ImportUpdate[]
}

async function assignmentsBefore(
  sql: Sql | Transaction,
  model: DataModel,
  update: ImportedUpdate,
): Promise<{ readonly assignments: readonly Assignment[]; readonly isChanged: boolean }> {
  const assignments: Assignment[] = []
  let isChanged = false
  for (const attribute of update.entityType.attributes) {
    if (['entity', 'formula', 'function', 'worker'].includes(attribute.stored_in) || attribute.is_archived) continue
    const before = valuesBefore(await readAttribute(sql, model, attribute, update), update.updates)
    if (before === 'changed') isChanged = true
    else if (before !== undefined) {
      const values = await existing(sql, model, before)
      if (values.length > 0 || !attribute.is_required) assignments.push({ attribute, values })
    }
  }
  return { assignments, isChanged }
}

/** Only the derived side of a relationship has values that are not in the entity. */
async function readAttribute(
  sql: Sql | Transaction,
  model: DataModel,
  attribute: Attribute,
  { entityType, entity }: ImportedUpdate,
): Promise<AttributeValues> {
  const isDerived = attribute.stored_in === 'partner'
  const active = isDerived ? await readActive(sql, model, entityType, attribute, entity.id) : entity.valuesOf(attribute)
  const ended = attribute.has_history ? await readEnded(sql, model, attribute, entity.id) : []
  return { attribute, active: active ?? [], ended }
}

/** Leaves out references to records that were deleted since. */
async function existing(
  sql: Sql | Transaction,
  model: DataModel,
  values: Assignment['values'],
): Promise<Assignment['values']> {
  const lookup = createRecordLookup(sql, model)
  const checked = await Promise.all(
    values.map(async (stored) => {
      const target = model.entityTypesByNumber.get(Number(stored.target_object))
      if (stored.target_record_id === undefined) return true
      const isKept = target !== undefined && hasRecords(target)
      return isKept && (await lookup.recordExists(target, String(stored.target_record_id)))
    }),
  )
  return values.filter((_, index) => checked[index])
}

export interface AttributeValues {
  readonly attribute: Pick<Attribute, 'number' | 'has_history'>
  readonly active: readonly DatedValue[]
  /** Empty for an attribute without a history. */
  readonly ended: readonly ValueWithEnd[]
}

/**
 * The values of an attribute before these updates, of which there is at least one. Undefined if they did not touch it, `changed` if
 * other writes have changed it since the first of them.
 */
export function valuesBefore(
  values: AttributeValues,
  updates: readonly ImportUpdate[],
): readonly Stored[] | 'changed' | undefined {
  const times = new Set(updates.map(({ writtenAt }) => writtenAt))
  return values.attribute.has_history ? fromHistory(values, times) : fromUpdates(values, updates, times)
}

function fromHistory({ active, ended }: AttributeValues, times: ReadonlySet<Micros>) {
  const first = Math.min(...times)
  const endedSince = ended.flatMap(({ active_until, ...value }) =>
    active_until !== null && active_until >= first ? [{ ...value, active_until }] : [],
  )
  const isOfTimes = ({ active_from, active_until }: (typeof endedSince)[number]) =>
    times.has(active_from) || times.has(active_until)
  const isTouched = hasValueOf(active, times) || endedSince.some(isOfTimes)
  if (!isTouched) return undefined
  const isOther = (at: Micros): boolean => at > first && !times.has(at)
  if (active.some(({ active_from }) => isOther(active_from))) return 'changed'
  if (endedSince.some(({ active_until }) => isOther(active_until))) return 'changed'
  return [...active, ...endedSince].filter(({ active_from }) => active_from < first).map(({ stored }) => stored)
}

/** An import never empties an attribute, so one without a value of it was changed. */
function fromUpdates(
  { attribute, active }: AttributeValues,
  updates: readonly ImportUpdate[],
  times: ReadonlySet<Micros>,
) {
  const first = updates.find(({ previous }) => previous[attribute.number] !== undefined)
  if (first === undefined) return undefined
  const isOther = active.some(({ active_from }) => active_from > first.writtenAt && !times.has(active_from))
  return isOther || !hasValueOf(active, times) ? 'changed' : first.previous[attribute.number]
}

const hasValueOf = (active: readonly DatedValue[], times: ReadonlySet<Micros>): boolean =>
  active.some(({ active_from }) => times.has(active_from))
