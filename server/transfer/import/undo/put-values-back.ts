/** Puts back the values that an import changed in a record that existed before. See docs/decisions/0140-undo-of-imports.md. */

import type { Sql, Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import type { Assignment } from '#engine/entities/write/parse-values'
import { missingRecord } from '#engine/entities/read/path-id'
import { writeEntity } from '#engine/entities/write/update-entity'
import { changedSinceImport } from '#base/errors/imports'
import { readActive, readEnded } from '#engine/storage/history'
import { deleteImportUpdates, type ImportUpdate, readImportUpdatesOf } from '#engine/storage/imports/import-updates'
import type { StoredEntity } from '#engine/storage/read-entities'
import { createRecordLookup } from '#engine/storage/record-lookup'
import { type AttributeValues, valuesBefore } from './values-before'

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
