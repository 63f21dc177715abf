/** Creates records from rows, many in one statement, and updates the records that rows would change. */

import type { RequestContext } from '#context'
import { type Attribute, type DataModel, enabledDefault, type ObjectType } from '#engine/data-model/model'
import { getObject, visibleAttributes } from '#engine/data-model/find'
import { ApiError } from '#base/errors/api-error'
import { isTransient } from '#base/errors/database'
import { newId } from '#base/ids'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { isChanged, applyValues, type MultiselectWrite } from '#engine/storage/entity-change'
import { createEntity, type NewContents, prepareMany } from '#engine/entities/write/create-entity'
import { createRecordLookup } from '#engine/storage/read-entities'
import { type Assignment, withDefaults } from '#engine/entities/write/parse-values'
import { mayChangeOtherEntities } from '#engine/entities/relationships/relationships'
import { writeEntity } from '#engine/entities/write/update-entity'
import type { ConvertedRow } from '#transfer/import/convert/compile-row'
import type { StoredRecord } from '#engine/storage/statements/read-many-records'
import type { BackgroundContext } from '#engine/entities/write/background-context'
import { inModel } from '#transfer/import/import-context'
import type { Micros } from '#base/timing/clock'
import type { RowOutcome } from '#transfer/import/row-outcomes'
import type { MatchOptions } from '#transfer/import/match/target-lookup'

/** How an attribute with several values takes the values of a row: `policies.ts`. */
type MultiselectWriteOf = (attribute: Attribute) => MultiselectWrite

/** Writes records that were prepared. Throws `ApiError` when one of them cannot be created. */
export type WriteRecords = () => Promise<void>

/** Prepares one statement that creates all records or none. Throws `ReservedCharacterError` when they cannot be created together. */
export async function prepareRecords(
  importContext: BackgroundContext,
  objectId: string,
  rows: readonly ConvertedRow[],
): Promise<WriteRecords> {
  const prepare = async (context: RequestContext) => {
    const object = getObject(context.model, objectId)
    const stamp = { now: context.now(), actor: context.actor }
    return prepareMany(context.model, object, await readContents(context, object, rows), {
      stamp,
      answer: 'nothing',
      partnerEvents: 'joined',
      writeLog: context.writeLog,
    })
  }
  const first = importContext.context()
  const ready = await prepare(first)
  return () =>
    retryOnConflict(importContext.context(), async (context) => {
      const create = context.model === first.model ? ready : await prepare(context)
      await create(context)
    })
}

/** Creates a record that may change other records. Throws `ApiError` when it cannot be created. */
export const createImportedRecord = (
  importContext: BackgroundContext,
  objectId: string,
  row: ConvertedRow,
): Promise<void> =>
  retryOnConflict(importContext.context(), async (context) => {
    const object = getObject(context.model, objectId)
    for (const contents of await readContents(context, object, [row])) await createEntity(context, object, contents)
  })

/** Whether creating the record of a row changes other records, so that it needs a transaction of its own. */
export const changesOtherRecords = (model: DataModel, { assignments }: ConvertedRow): boolean => {
  for (const { attribute } of assignments) if (mayChangeOtherEntities(model, attribute)) return true
  return false
}

/** Fills in the defaults of the object; most objects have none. */
async function readContents(
  { model, actor, db, now }: RequestContext,
  object: ObjectType,
  rows: readonly ConvertedRow[],
): Promise<NewContents[]> {
  const contents = rows.map(({ assignments, fillIfEmpty }) => ({
    id: newId(),
    assignments: inModel(model, fillIfEmpty.length > 0 ? [...assignments, ...fillIfEmpty] : assignments),
  }))
  const hasDefaults = visibleAttributes(model, object).some(
    (attribute) => enabledDefault(attribute) !== null && attribute.stored_in !== 'entity',
  )
  if (!hasDefaults) return contents
  const lookup = createRecordLookup(db.sql, model)
  const fill = async ({ id, assignments }: NewContents) => ({
    id,
    assignments: await withDefaults(model, object, assignments, { actor, now: now() }, lookup),
  })
  return Promise.all(contents.map(fill))
}

/** Required attributes without a default. */
export const requiredAttributes = (model: DataModel, object: ObjectType): Attribute[] =>
  visibleAttributes(model, object).filter(
    ({ is_required, stored_in, default_value }) => is_required && stored_in !== 'entity' && default_value === null,
  )

export function wouldChange(record: StoredRecord, row: ConvertedRow, multiselectWriteOf: MultiselectWriteOf): boolean {
  return assignmentsFor(row, (attribute) => record.valuesOf(attribute).length > 0).some(({ attribute, values }) => {
    const before = record.valuesOf(attribute)
    const after = applyValues(attribute, before, values, multiselectWriteOf(attribute), { now: 0, actor: 0 })
    return isChanged({ attribute, before, after })
  })
}

/** Returns false when the record was deleted. Throws `ApiError` for a value that the record cannot take. */
export const updateImportedRecord = (
  importContext: BackgroundContext,
  objectId: string,
  id: string,
  row: ConvertedRow,
  multiselectWriteOf: MultiselectWriteOf,
): Promise<boolean> =>
  retryOnConflict(importContext.context(), async (context, { locking }) => {
    const entityType = getObject(context.model, objectId)
    const written = await writeEntity({ context, entityType, id, locking }, async (_db, entity) => {
      const assignments = assignmentsFor(
        { assignments: inModel(context.model, row.assignments), fillIfEmpty: inModel(context.model, row.fillIfEmpty) },
        (attribute) => entity.valuesOf(attribute).length > 0,
      )
      return { assignments, multiselectWriteOf: ({ attribute }) => multiselectWriteOf(attribute) }
    })
    return written !== undefined
  })

/** The assignments that a row makes to an existing record. */
const assignmentsFor = (
  { assignments, fillIfEmpty }: Pick<ConvertedRow, 'assignments' | 'fillIfEmpty'>,
  isFilled: (attribute: Attribute) => boolean,
): Assignment[] => [...assignments, ...fillIfEmpty.filter(({ attribute }) => !isFilled(attribute))]

/** The message of a refusal by the service; undefined for any other error. */
export const apiErrorMessage = (error: unknown): string | undefined =>
  error instanceof ApiError && !isTransient(error) ? error.message : undefined

/** How rows are written, and the result of each row. */
export interface WriteOptions extends MatchOptions {
  readonly multiselectWriteOf: MultiselectWriteOf
  /** Whether to compute the results and write nothing. */
  readonly isDryRun: boolean
}

export interface RowResult {
  readonly row: ConvertedRow
  readonly outcome: RowOutcome
  /** Why the row was skipped. */
  readonly reason?: string
  /** The record that the row matched. */
  readonly record?: { readonly id: string; readonly createdAt: Micros }
}

/** Writes rows that were prepared. */
export type WriteRows = () => Promise<RowResult[]>

/** The result of a row that the service refused. Rethrows an error that is not a refusal. */
export function skipRefusedRow(error: unknown, row: ConvertedRow): RowResult {
  const reason = apiErrorMessage(error)
  if (reason === undefined) throw error
  return { row, outcome: 'skipped', reason }
}
