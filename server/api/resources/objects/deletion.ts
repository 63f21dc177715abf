/**
 * Deletes custom objects, lists those that can be restored, and restores them. See docs/reference/trash.md (Objects);
 * docs/decisions/deleted-objects.md.
 */

import type { Sql, Transaction } from '#db/connect'
import { audit } from '#access/audit-log/audit'
import { auditList } from '#access/list-access/list-access'
import {
  nounConflict,
  objectNotDeleted,
  objectNotInTrash,
  restoredNameConflict,
  slugConflict,
  systemAttributeNotEditable,
} from '#base/errors/attributes'
import { readId } from '#base/errors/http'
import type { ApiContext } from '#context'
import { objectAccessOf, wholeModel } from '#engine/data-model/access/member-model'
import { changeModel, type ModelChange } from '#engine/data-model/change-model'
import { findObject, getObject, getWritableObject, requireWritable } from '#engine/data-model/find'
import type { DataModel, ListType, ObjectType } from '#engine/data-model/model'
import { getActor } from '#engine/attribute-types/actor-reference'
import { countAttachments } from '#engine/attachments/attachments'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { countEntities } from '#engine/storage/statements/entity-type-statements'
import { expiryOf } from '#engine/storage/trash/move-to-trash'
import {
  type DeletedObject,
  expireDeletedObject,
  hideObject,
  listDeletedObjects,
  type ObjectParts,
  partsOf,
  showObject,
} from '#engine/workspaces/deleted-entity-types'
import { attributeEvents } from '#events/feed/model-events'
import { findTakenName, refuseOverQuota, refuseReservedSlug, renderObject } from './objects'
import type { DeletedObjectOutput, DeletionCounts, ObjectChange, ObjectOutput } from './schemas'

/**
 * Hides a custom object with its records, the lists of its records, and what refers to it, until it is restored or deleted for good.
 * Throws 400 for a standard object.
 */
export async function deleteObject(context: ApiContext, slugOrId: string): Promise<void> {
  await changeModel(context, async (step) => {
    const object = getDeletableObject(step.model, slugOrId)
    const deletedAt = context.now()
    const expiresAt = expiryOf(deletedAt, context.trashDays)
    const parts = partsOf(wholeModel(step.model), object)
    await hideObject(step, object, { deletedAt, deletedBy: context.actor, expiresAt })
    await recordChange(context, step, 'deleted', object, parts)
  })
  // Without a trash, the object has expired already.
  if (context.trashDays === 0) context.workers?.wake('deleted objects')
}

function getDeletableObject(model: DataModel, slugOrId: string): ObjectType {
  const object = getWritableObject(model, slugOrId)
  if (object.standard_slug !== null) throw systemAttributeNotEditable('Cannot delete a standard object.')
  return object
}

/** Counts what a deletion would hide, for a dry run. */
export async function countDeletion({ db, model }: ApiContext, slugOrId: string): Promise<DeletionCounts> {
  const object = getDeletableObject(model, slugOrId)
  const { lists, attributes } = partsOf(wholeModel(model), object)
  let entries = 0
  for (const list of lists) entries += await countEntities(db.sql, list)
  return {
    records: await countEntities(db.sql, object),
    attributes: object.attributes.filter(({ is_system_attribute }) => !is_system_attribute).length,
    attributes_of_others: attributes.length,
    lists: lists.length,
    entries,
    ...(await countAttachments(db.sql, model.workspace.id, object.id)),
  }
}

/**
 * Lets a deleted object expire, so that the worker deletes it for good. Throws 409 for an object that is not deleted: no single
 * request destroys an object.
 */
export async function deleteObjectForGood(context: ApiContext, slugOrId: string): Promise<void> {
  await changeModel(context, async (step) => {
    const existing = findObject(step.model, slugOrId)
    if (existing) throw objectNotDeleted(existing.api_slug)
    const { object, deletion } = await getDeleted(context, step, slugOrId)
    await expireDeletedObject(step, object.id, context.now())
    await auditObject(context, step, 'deleted-for-good', { id: object.id, name: deletion.names.plural_noun })
  })
  context.workers?.wake('deleted objects')
}

/** Shows the object again, with everything that was hidden with it. Throws 409 for a slug or a noun that another object has. */
export async function restoreObject(context: ApiContext, id: string, input: ObjectChange): Promise<ObjectOutput> {
  const { model } = await changeModel(context, async (step) => {
    const { object, deletion } = await getDeleted(context, step, readId('Object', id))
    const { api_slug, singular_noun, plural_noun } = { ...deletion.names, ...input }
    const names = { api_slug, singular_noun, plural_noun }
    refuseReservedSlug(input.api_slug)
    refuseTakenNames(step.model, names)
    refuseOverQuota(step.model, context.objectQuota)
    const parts = partsOf(wholeModel(step.model), object)
    await showObject(step, object, names)
    await recordChange(context, step, 'restored', { ...object, ...names }, parts)
  })
  return renderObject(model, getObject(model, id))
}

function refuseTakenNames(model: DataModel, names: DeletedObject['names']): void {
  const taken = findTakenName(model, names)
  if (taken === undefined) return
  const { member, value, kind } = taken
  throw restoredNameConflict(member === 'api_slug' ? slugConflict(kind, value) : nounConflict(value), member)
}

/** An object that can be restored. Throws 404 for another one, 403 for an object that the member may only read. */
async function getDeleted(
  context: ApiContext,
  { tx, model }: ModelChange,
  id: string,
): Promise<{ object: ObjectType; deletion: DeletedObject }> {
  const deletions = await visibleDeletions({ ...context, model }, tx)
  const deletion = deletions.find((each) => each.id === id.toLowerCase())
  const object = wholeModel(model).entityTypesById.get(id.toLowerCase())
  if (deletion === undefined || object?.kind !== 'object') throw objectNotInTrash(id)
  const access = accessTo(context, object)
  if (access === 'read-only') requireWritable({ ...object, ...deletion.names, restriction: access })
  return { object, deletion }
}

/** The deleted objects that the member sees, the newest deletion first. */
export async function listTrashedObjects(context: ApiContext): Promise<DeletedObjectOutput[]> {
  const deletions = await visibleDeletions(context, context.db.sql)
  return deletions.map((deletion) => renderDeleted(context.model, deletion))
}

async function visibleDeletions(context: ApiContext, sql: Sql | Transaction): Promise<DeletedObject[]> {
  const { model, now } = context
  const deletions = await listDeletedObjects(sql, model.workspace.id, now())
  return deletions.filter(({ id }) => {
    const object = wholeModel(model).entityTypesById.get(id)
    return object?.kind !== 'object' || accessTo(context, object) !== 'hidden'
  })
}

const accessTo = ({ model, memberId }: ApiContext, object: ObjectType) =>
  memberId === undefined ? 'read-write' : objectAccessOf(model, memberId, object)

function renderDeleted(model: DataModel, { id, names, ...deletion }: DeletedObject): DeletedObjectOutput {
  const { type, id: actor } = getActor(model, deletion.deleted_by)
  return {
    id: { workspace_id: model.workspace.id, object_id: id },
    api_slug: names.api_slug,
    singular_noun: names.singular_noun,
    plural_noun: names.plural_noun,
    deleted_at: deletion.deleted_at,
    deleted_by_actor: { type, id: actor },
    expires_at: deletion.expires_at,
  }
}

type Change = 'deleted' | 'restored'

/** Appends the change events and the entries of the audit log. Records have no events. */
async function recordChange(
  context: ApiContext,
  step: ModelChange,
  change: Change,
  object: ObjectType,
  { lists, attributes, sharedAttributes }: ObjectParts,
): Promise<void> {
  await auditObject(context, step, change, { id: object.id, name: object.plural_noun })
  await listEvents(context, step, change, lists)
  // The settings of an attribute that can refer to records of all objects stay the same.
  const named = sharedAttributes.filter(({ config }) => config.record_reference?.allowed_object_ids?.length)
  await attributeEvents(context, step, 'updated', change === 'restored' ? [...attributes, ...named] : named)
}

async function listEvents(
  context: ApiContext,
  step: ModelChange,
  change: Change,
  lists: readonly ListType[],
): Promise<void> {
  for (const list of lists) await auditList(context, step, change, list)
  const event_type = change === 'deleted' ? 'list.deleted' : 'list.created'
  await appendToOutbox(
    step.tx,
    eventOriginOf(context),
    lists.map(({ id }) => ({ event_type, id: { list_id: id } })),
  )
}

const auditObject = (
  context: ApiContext,
  { tx, model }: ModelChange,
  change: Change | 'deleted-for-good',
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> =>
  audit(tx, {
    actor: model.actors.get(context.actor) ?? null,
    workspaceId: model.workspace.id,
    action: `object.${change}`,
    subject: { type: 'object', id, name },
    now: context.now(),
  })
