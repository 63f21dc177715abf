/** Writes what rows say: new records many at a time, known ones only when something differs. */

import type { RequestContext } from '../../call'
import { enabledDefault } from '../../data-model/defaults'
import { getObject, visibleAttributes } from '../../data-model/find'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import { ApiError } from '../../errors/errors'
import { newId } from '../../ids'
import { applyValues, type Mode } from '../../entities/write/apply-values'
import { retryOnConflict } from '../../entities/write/retry-on-conflict'
import { isChanged } from '../../storage/entity-change'
import { createEntity, type NewContents } from '../../entities/write/create-entity'
import { prepareMany } from '../../entities/write/create-many'
import { withDefaults } from '../../entities/write/defaults'
import { recordLookup } from '../../storage/lookup'
import type { Assignment } from '../../entities/write/parse-values'
import { touchesOthers } from '../../entities/relationships/relationships'
import { writeEntity } from '../../entities/write/update-entity'
import type { ConvertedRow } from '../convert/convert-row'
import type { HeldRecord } from '../match/find-records'
import { inModel, type ImportContext } from '../session'

/** How multiselects take the values of rows; the matching attribute never loses any. */
export type ModeOf = (attribute: Attribute) => Mode

/** Writes records that were made ready. Throws `ApiError` when they cannot all be created. */
export type WriteRecords = () => Promise<void>

/** Makes ready what creates all of them or none. Throws `Reserved` when they cannot be created together. */
export async function prepareRecords(
  session: ImportContext,
  objectId: string,
  rows: readonly ConvertedRow[],
): Promise<WriteRecords> {
  const prepare = async (context: RequestContext) => {
    const object = getObject(context.model, objectId)
    const stamp = { now: context.now(), actor: context.actor }
    return prepareMany(context.model, object, await readContents(context, object, rows), stamp)
  }
  const first = session.context()
  const ready = await prepare(first)
  return () =>
    retryOnConflict(session.context(), async (context) => {
      const create = context.model === first.model ? ready : await prepare(context)
      await create(context.db.sql)
    })
}

/** Creates one that may change other records, too. Throws `ApiError` when it cannot be created. */
export const createRecord = (session: ImportContext, objectId: string, row: ConvertedRow): Promise<void> =>
  retryOnConflict(session.context(), async (context) => {
    const object = getObject(context.model, objectId)
    for (const contents of await readContents(context, object, [row])) await createEntity(context, object, contents)
  })

/** Whether a row has to be created by itself, since it changes other records. */
export const isAlone = (model: DataModel, { assignments }: ConvertedRow): boolean => {
  for (const { attribute } of assignments) if (touchesOthers(model, attribute)) return true
  return false
}

/** With the object's defaults for what the rows do not name; most objects have none. */
async function readContents(
  { model, actor, db, now }: RequestContext,
  object: ObjectType,
  rows: readonly ConvertedRow[],
): Promise<NewContents[]> {
  const contents = rows.map(({ assignments, asides }) => ({
    id: newId(),
    assignments: inModel(model, asides.length > 0 ? [...assignments, ...asides] : assignments),
  }))
  const hasDefaults = visibleAttributes(model, object).some(
    (attribute) => enabledDefault(attribute) !== null && attribute.stored_in !== 'entity',
  )
  if (!hasDefaults) return contents
  const lookup = recordLookup(db.sql, model)
  const fill = async ({ id, assignments }: NewContents) => ({
    id,
    assignments: await withDefaults(model, object, assignments, { actor, now: now() }, lookup),
  })
  return Promise.all(contents.map(fill))
}

/** The attributes that every new record needs a value for, and that no default fills. */
export const requiredAttributes = (model: DataModel, object: ObjectType): Attribute[] =>
  visibleAttributes(model, object).filter(
    ({ is_required, stored_in, default_value }) => is_required && stored_in !== 'entity' && default_value === null,
  )

/** Whether writing the row to the record would change it. */
export function differs(held: HeldRecord, row: ConvertedRow, modeOf: ModeOf): boolean {
  return relevant(row, (attribute) => held.versionsOf(attribute).length > 0).some(({ attribute, values }) => {
    const before = held.versionsOf(attribute)
    const after = applyValues(attribute, before, values, modeOf(attribute), { now: 0, actor: 0 })
    return isChanged({ attribute, before, after })
  })
}

/** Gives whether the record was still there. Throws `ApiError` for what the record cannot take. */
export const updateRecord = (
  session: ImportContext,
  objectId: string,
  id: string,
  row: ConvertedRow,
  modeOf: ModeOf,
): Promise<boolean> =>
  retryOnConflict(session.context(), async (context, { locking }) => {
    const entityType = getObject(context.model, objectId)
    const written = await writeEntity({ context, entityType, id, locking }, async (_db, entity) => {
      const wanted = relevant(
        { assignments: inModel(context.model, row.assignments), asides: inModel(context.model, row.asides) },
        (attribute) => entity.versionsOf(attribute).length > 0,
      )
      return { assignments: wanted, modeOf: ({ attribute }) => modeOf(attribute) }
    })
    return written !== undefined
  })

/** What a row writes to a record that has some values already. */
const relevant = (
  { assignments, asides }: Pick<ConvertedRow, 'assignments' | 'asides'>,
  isFilled: (attribute: Attribute) => boolean,
): Assignment[] => [...assignments, ...asides.filter(({ attribute }) => !isFilled(attribute))]

/** What to tell of a row that the service refused. */
export const refusalOf = (error: unknown): string | undefined => (error instanceof ApiError ? error.message : undefined)
