/** Puts back the values that an import changed in a record that existed before. See docs/decisions/import-runs-and-undo.md. */

import type { Sql, Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import type { Assignment } from '#engine/entities/write/parse-values'
import { missingRecord } from '#engine/entities/read/etag'
import { writeEntity } from '#engine/entities/write/update-entity'
import { changedSinceImport } from '#base/errors/imports'
import { readActive, readEnded, type ValueWithEnd } from '#engine/storage/history'
import { deleteImportUpdates, type ImportUpdate, readImportUpdatesOf } from '#engine/storage/imports/import-updates'
import type { StoredEntity } from '#engine/storage/read-entities'
import { createRecordLookup } from '#engine/storage/find-records'
import type { Stored } from '#engine/attribute-types/define'
import type { DatedValue } from '#engine/storage/provenance'
import type { Micros } from '#base/timing/clock'

interface UpdatedRecord {
  readonly importId: string
  readonly id: string
  readonly locking: boolean
}

/**
 * Writes the earlier values as one update, with history and events. Throws 409 if an attribute was changed since; the others are put
 * back. Throws 404 for a record that was deleted.
 */
export async function putValuesBack(
  context: RequestContext,
  object: ObjectType,
  { importId, id, locking }: UpdatedRecord,
): Promise<void> {
  const { db, model } = context
  const updates = await readImportUpdatesOf(db.sql, model, { importId, id })
  let isChanged = false
  const row = await writeEntity({ context, entityType: object, id, locking }, async (sql, entity) => {
    const found = await assignmentsBefore(sql, model, { object, entity, updates })
    isChanged = found.isChanged
    return { assignments: found.assignments, multiselectWriteOf: () => 'overwrite' }
  })
  if (row === undefined) throw await missingRecord(context, object, id)
  if (isChanged) throw changedSinceImport(id)
  await deleteImportUpdates(db.sql, model, { importId, id })
}

interface ImportedUpdate {
  readonly object: ObjectType
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
  for (const attribute of update.object.attributes) {
    if (attribute.stored_in === 'entity' || attribute.is_archived) continue
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
  { object, entity }: ImportedUpdate,
): Promise<AttributeValues> {
  const isDerived = attribute.stored_in === 'partner'
  const active = isDerived ? await readActive(sql, model, object, attribute, entity.id) : entity.valuesOf(attribute)
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
      return target?.kind === 'object' && (await lookup.recordExists(target, String(stored.target_record_id)))
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
  const isTouched = hasValueOf(active, times) || endedSince.some(({ active_until }) => times.has(active_until))
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
