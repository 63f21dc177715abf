/** The record that an entry stands for. See docs/reference/lists-and-entries.md (Entries). */

import type { RequestContext } from '#context'
import { findObject } from '#engine/data-model/find'
import type { DataModel, ListType, ObjectType } from '#engine/data-model/model'
import { invalidBody } from '#base/errors/http'
import { immutableMember, standardObjectDisabled, unknownParentRecord } from '#base/errors/attributes'
import type { WriteTry } from '#engine/entities/write/retry-on-conflict'
import { createRecordLookup, type Parent } from '#engine/storage/find-records'
import type { StoredEntity } from '#engine/storage/read-entities'
import type { EntryChange, EntryInput } from './schemas'

/** Returns the parent record that a body names. Throws 400 when it does not exist or is not a record of the list's object. */
export async function getParent(
  { model, db }: RequestContext,
  list: ListType,
  { parent_object, parent_record_id }: EntryInput,
  { assumeExists }: WriteTry,
): Promise<Parent> {
  const object = getParentObject(model, list, parent_object)
  const recordId = parent_record_id.toLowerCase()
  if (await createRecordLookup(db.sql, model, assumeExists).recordExists(object, recordId)) return { object, recordId }
  throw unknownParentRecord(parent_record_id)
}

function getParentObject(model: DataModel, list: ListType, slugOrId: string): ObjectType {
  const object = findObject(model, slugOrId)
  if (object?.id !== list.parent_object_id) {
    const message = `Entries of list "${list.api_slug}" stand for records of another object`
    throw invalidBody([{ code: 'invalid', path: ['data', 'parent_object'], message }])
  }
  if (!object.is_enabled) throw standardObjectDisabled(object.id)
  return object
}

/** Refuses a change that names another parent than the entry has. */
export function refuseOtherParent(
  model: DataModel,
  list: ListType,
  entity: StoredEntity,
  { parent_object, parent_record_id }: EntryChange,
): void {
  if (parent_record_id !== undefined && parent_record_id.toLowerCase() !== entity.parentRecordId) {
    throw immutableMember('parent_record_id')
  }
  if (parent_object !== undefined && findObject(model, parent_object)?.id !== list.parent_object_id) {
    throw immutableMember('parent_object')
  }
}
