/**
 * Deletes custom objects, lists those that can be restored, and restores them. See docs/reference/trash.md (Objects);
 * docs/decisions/deleted-objects.md.
 */

import {
  countOwnParts,
  deleteRecordType,
  deleteRecordTypeForGood,
  listTrashed,
  restoreRecordType,
} from '#api/entities/deletion'
import { nounConflict, restoredNameConflict, slugConflict, systemAttributeNotEditable } from '#base/errors/attributes'
import { readId } from '#base/errors/http'
import type { ApiContext } from '#context'
import { wholeModel } from '#engine/data-model/access/member-model'
import { findObject, getObject, getWritableObject } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { countAttachments } from '#engine/attachments/attachments'
import { listsOf } from '#engine/storage/read-entities'
import { countEntities } from '#engine/storage/statements/entity-type-statements'
import { findTakenName, refuseOverQuota, refuseReservedSlug, renderObject } from './objects'
import type { DeletedObjectOutput, DeletionCounts, ObjectChange, ObjectInput, ObjectOutput } from './schemas'

/**
 * Hides a custom object with its records, the lists of its records, and what refers to it, until it is restored or deleted for good.
 * Throws 400 for a standard object.
 */
export const deleteObject = (context: ApiContext, slugOrId: string): Promise<void> =>
  deleteRecordType(context, (model) => getDeletableObject(model, slugOrId))

function getDeletableObject(model: DataModel, slugOrId: string): ObjectType {
  const object = getWritableObject(model, slugOrId)
  if (object.standard_slug !== null) throw systemAttributeNotEditable('Cannot delete a standard object.')
  return object
}

/** Counts what a deletion would hide, for a dry run. */
export async function countDeletion(context: ApiContext, slugOrId: string): Promise<DeletionCounts> {
  const { db, model } = context
  const object = getDeletableObject(model, slugOrId)
  const lists = listsOf(wholeModel(model), object)
  let entries = 0
  for (const list of lists) entries += await countEntities(db.sql, list)
  return {
    ...(await countOwnParts(context, object)),
    lists: lists.length,
    entries,
    ...(await countAttachments(db.sql, model.workspace.id, object.id)),
  }
}

/** Lets a deleted object expire, so that the worker deletes it for good. Throws 409 for an object that is not deleted. */
export const deleteObjectForGood = (context: ApiContext, slugOrId: string): Promise<void> =>
  deleteRecordTypeForGood(context, { kind: 'object', slugOrId }, findObject)

/** Shows the object again, with everything that was hidden with it. Throws 409 for a slug or a noun that another object has. */
export async function restoreObject(context: ApiContext, given: string, input: ObjectChange): Promise<ObjectOutput> {
  const id = readId('Object', given)
  const model = await restoreRecordType(context, { kind: 'object', id }, (current, stored) => {
    const names = { ...stored, ...input }
    refuseReservedSlug(input.api_slug)
    refuseTakenNames(current, names)
    refuseOverQuota(current, context.objectQuota)
    return names
  })
  return renderObject(model, getObject(model, id))
}

function refuseTakenNames(model: DataModel, names: ObjectInput): void {
  const taken = findTakenName(model, names)
  if (taken === undefined) return
  const { member, value, kind } = taken
  const conflict = member === 'api_slug' ? slugConflict(kind, value) : nounConflict(value)
  throw restoredNameConflict('object', conflict, member)
}

/** The deleted objects that the member sees, the newest deletion first. */
export async function listTrashedObjects(context: ApiContext): Promise<DeletedObjectOutput[]> {
  const workspace_id = context.model.workspace.id
  const deleted = await listTrashed(context, 'object')
  return deleted.map(({ id: object_id, ...members }) => ({ id: { workspace_id, object_id }, ...members }))
}
