/** Writes what rows say: new records many at a time, known ones only when something differs. */

import type { Call } from '../../call'
import { enabledDefault } from '../../data-model/defaults'
import { getObject, visibleAttributes } from '../../data-model/find'
import type { Attribute, DataModel, ObjectOwner } from '../../data-model/model'
import { ApiError } from '../../errors/errors'
import { newId } from '../../ids'
import { applyValues, type Mode } from '../../entities/write/apply-values'
import { attempt } from '../../entities/write/retry-on-conflict'
import { isChanged } from '../../entities/write/entity-change'
import { createHolder, type NewContents } from '../../entities/write/create-entity'
import { prepareMany } from '../../entities/write/create-many'
import { withDefaults } from '../../entities/write/defaults'
import { recordLookup } from '../../entities/read/lookup'
import type { Assignment } from '../../entities/write/parse-values'
import { touchesOthers } from '../../entities/relationships/relationships'
import { writeHolder } from '../../entities/write/update-entity'
import type { ConvertedRow } from '../convert/convert-row'
import type { HeldRecord } from '../match/find-records'
import { inModel, type Session } from '../session'

/** How multiselects take the values of rows; the matching attribute never loses any. */
export type ModeOf = (attribute: Attribute) => Mode

/** Writes records that were made ready. Throws `ApiError` when they cannot all be created. */
export type WriteRecords = () => Promise<void>

/** Makes ready what creates all of them or none. Throws `Reserved` when they cannot be created together. */
export async function prepareRecords(
  session: Session,
  objectId: string,
  rows: readonly ConvertedRow[],
): Promise<WriteRecords> {
  const prepare = async (call: Call) => {
    const object = getObject(call.model, objectId)
    const stamp = { now: call.now(), actor: call.actor }
    return prepareMany(call.model, object, await readContents(call, object, rows), stamp)
  }
  const first = session.call()
  const ready = await prepare(first)
  return () =>
    attempt(session.call(), async (call) => {
      const create = call.model === first.model ? ready : await prepare(call)
      await create(call.db.sql)
    })
}

/** Creates one that may change other records, too. Throws `ApiError` when it cannot be created. */
export const createRecord = (session: Session, objectId: string, row: ConvertedRow): Promise<void> =>
  attempt(session.call(), async (call) => {
    const object = getObject(call.model, objectId)
    for (const contents of await readContents(call, object, [row])) await createHolder(call, object, contents)
  })

/** Whether a row has to be created by itself, since it changes other records. */
export const isAlone = (model: DataModel, { assignments }: ConvertedRow): boolean => {
  for (const { attribute } of assignments) if (touchesOthers(model, attribute)) return true
  return false
}

/** With the object's defaults for what the rows do not name; most objects have none. */
async function readContents(
  { model, actor, db, now }: Call,
  object: ObjectOwner,
  rows: readonly ConvertedRow[],
): Promise<NewContents[]> {
  const contents = rows.map(({ assignments, asides }) => ({
    id: newId(),
    assignments: inModel(model, asides.length > 0 ? [...assignments, ...asides] : assignments),
  }))
  const hasDefaults = visibleAttributes(model, object).some(
    (attribute) => enabledDefault(attribute) !== null && attribute.stored_in !== 'holder',
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
export const requiredAttributes = (model: DataModel, object: ObjectOwner): Attribute[] =>
  visibleAttributes(model, object).filter(
    ({ is_required, stored_in, default_value }) => is_required && stored_in !== 'holder' && default_value === null,
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
  session: Session,
  objectId: string,
  id: string,
  row: ConvertedRow,
  modeOf: ModeOf,
): Promise<boolean> =>
  attempt(session.call(), async (call, { locking }) => {
    const owner = getObject(call.model, objectId)
    const written = await writeHolder({ call, owner, id, locking }, async (_db, holder) => {
      const wanted = relevant(
        { assignments: inModel(call.model, row.assignments), asides: inModel(call.model, row.asides) },
        (attribute) => holder.versionsOf(attribute).length > 0,
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
