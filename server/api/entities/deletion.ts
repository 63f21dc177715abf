/**
 * What the deletions and restorations of custom objects and of custom activities have in common. See docs/reference/trash.md (Objects,
 * Activities); docs/decisions/deleted-objects.md.
 */

import type { Sql, Transaction } from '#db/connect'
import { audit } from '#access/audit-log/audit'
import { auditList } from '#access/list-access/list-access'
import { notDeleted, notInTrash } from '#base/errors/attributes'
import type { ApiContext } from '#context'
import { objectAccessOf, wholeModel } from '#engine/data-model/access/member-model'
import { changeModel, type ModelChange } from '#engine/data-model/change-model'
import { requireWritable } from '#engine/data-model/find'
import type { DataModel, ListType, RecordType } from '#engine/data-model/model'
import { getActor } from '#engine/attribute-types/actor-reference'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { refuseReadType } from '#engine/rollups/refuse-named'
import { countEntities } from '#engine/storage/statements/entity-type-statements'
import { expiryOf } from '#engine/storage/trash/move-to-trash'
import {
  type DeletedRecordType,
  expireDeletedRecordType,
  hideRecordType,
  listDeletedRecordTypes,
  partsOf,
  type RecordTypeNames,
  type RecordTypeParts,
  showRecordType,
} from '#engine/workspaces/deleted-entity-types'
import { attributeEvents } from '#events/feed/model-events'
import type { DeletedNames } from './trash-schemas'

/** Hides an object or an activity with everything that belongs to it, until it is restored or deleted for good. */
export async function deleteRecordType(context: ApiContext, find: (model: DataModel) => RecordType): Promise<void> {
  await changeModel(context, async (step) => {
    const type = find(step.model)
    refuseReadType(step.model, type)
    const deletedAt = context.now()
    const expiresAt = expiryOf(deletedAt, context.trashDays)
    const parts = partsOf(wholeModel(step.model), type)
    await hideRecordType(step, type, { deletedAt, deletedBy: context.actor, expiresAt })
    await recordChange(context, step, { change: 'deleted', type, parts })
  })
  // Without a trash, it has expired already.
  if (context.trashDays === 0) context.workers?.wake('deleted objects')
}

/** Counts the records of the type, its custom attributes, and attributes elsewhere that can refer to nothing else. */
export async function countOwnParts({ db, model }: ApiContext, type: RecordType) {
  return {
    records: await countEntities(db.sql, type),
    attributes: type.attributes.filter(({ is_system_attribute }) => !is_system_attribute).length,
    attributes_of_others: partsOf(wholeModel(model), type).attributes.length,
  }
}

interface Deleted {
  readonly type: RecordType
  readonly deletion: DeletedRecordType
}

/** Shows the object or the activity again, with everything that was hidden with it. `prepare` returns its names, or throws. */
export async function restoreRecordType(
  context: ApiContext,
  { kind, id }: Pick<RecordType, 'kind' | 'id'>,
  prepare: (model: DataModel, names: RecordTypeNames) => RecordTypeNames,
): Promise<DataModel> {
  const { model } = await changeModel(context, async (step) => {
    const { type, deletion } = await getDeleted(context, step, { kind, id })
    const { api_slug, singular_noun, plural_noun } = deletion.names
    const names = prepare(step.model, { api_slug, singular_noun, plural_noun })
    const parts = partsOf(wholeModel(step.model), type)
    await showRecordType(step, type, names)
    await recordChange(context, step, { change: 'restored', type: { ...type, ...names }, parts })
  })
  return model
}

/**
 * Lets a deleted object or activity expire, so that the worker deletes it for good. Throws 409 for one that is not deleted: no single
 * request destroys an object or an activity.
 */
export async function deleteRecordTypeForGood(
  context: ApiContext,
  { kind, slugOrId }: { readonly kind: RecordType['kind']; readonly slugOrId: string },
  find: (model: DataModel, slugOrId: string) => RecordType | undefined,
): Promise<void> {
  await changeModel(context, async (step) => {
    const existing = find(step.model, slugOrId)
    if (existing) throw notDeleted(kind, existing.api_slug)
    const { type, deletion } = await getDeleted(context, step, { kind, id: slugOrId })
    await expireDeletedRecordType(step, type.id, context.now())
    await auditChange(context, step, 'deleted-for-good', { ...type, ...deletion.names })
  })
  context.workers?.wake('deleted objects')
}

/** What can be restored. Throws 404 for another id, 403 for an object that the member may only read. */
async function getDeleted(
  context: ApiContext,
  { tx, model }: ModelChange,
  { kind, id }: Pick<RecordType, 'kind' | 'id'>,
): Promise<Deleted> {
  const deletions = await visibleDeletions({ ...context, model }, tx, kind)
  const deletion = deletions.find((each) => each.id === id.toLowerCase())
  const type = deletion && wholeModel(model).entityTypesById.get(deletion.id)
  if (deletion === undefined || type === undefined || type.kind === 'list') throw notInTrash(kind, id)
  if (type.kind === 'activity') return { type, deletion }
  const access = accessTo(context, type)
  if (access === 'read-only') requireWritable({ ...type, ...deletion.names, restriction: access })
  return { type, deletion }
}

/** The deleted objects or activities that the member sees, the newest deletion first. */
export async function listTrashed(
  context: ApiContext,
  kind: RecordType['kind'],
): Promise<(DeletedNames & { readonly id: string })[]> {
  const deletions = await visibleDeletions(context, context.db.sql, kind)
  return deletions.map(({ id, names, ...deletion }) => {
    const { type, id: actor } = getActor(context.model, deletion.deleted_by)
    return {
      id,
      api_slug: names.api_slug,
      singular_noun: names.singular_noun,
      plural_noun: names.plural_noun,
      deleted_at: deletion.deleted_at,
      deleted_by_actor: { type, id: actor },
      expires_at: deletion.expires_at,
    }
  })
}

async function visibleDeletions(
  context: ApiContext,
  sql: Sql | Transaction,
  kind: RecordType['kind'],
): Promise<DeletedRecordType[]> {
  const { model, now } = context
  const deletions = await listDeletedRecordTypes(sql, { workspaceId: model.workspace.id, kind, now: now() })
  return deletions.filter(({ id }) => {
    const type = wholeModel(model).entityTypesById.get(id)
    return type?.kind !== 'object' || accessTo(context, type) !== 'hidden'
  })
}

const accessTo = ({ model, memberId }: ApiContext, object: Parameters<typeof objectAccessOf>[2]) =>
  memberId === undefined ? 'read-write' : objectAccessOf(model, memberId, object)

interface RecordTypeChange {
  readonly change: 'deleted' | 'restored'
  readonly type: RecordType
  readonly parts: RecordTypeParts
}

/** Appends the change events and the entries of the audit log. Records have no events. */
async function recordChange(
  context: ApiContext,
  step: ModelChange,
  { change, type, parts: { lists, attributes, sharedAttributes } }: RecordTypeChange,
): Promise<void> {
  await auditChange(context, step, change, type)
  if (type.kind === 'activity') await activityEvent(context, step, change, type.id)
  await listEvents(context, step, change, lists)
  // The settings of an attribute that can refer to records of all objects stay the same.
  const named = sharedAttributes.filter(({ config }) => config.record_reference?.allowed_object_ids?.length)
  await attributeEvents(context, step, 'updated', change === 'restored' ? [...attributes, ...named] : named)
}

type Change = RecordTypeChange['change']

const activityEvent = (context: ApiContext, { tx }: ModelChange, change: Change, activity_id: string): Promise<void> =>
  appendToOutbox(tx, eventOriginOf(context), [
    { event_type: change === 'deleted' ? 'activity.deleted' : 'activity.created', id: { activity_id } },
  ])

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

const auditChange = (
  context: ApiContext,
  { tx, model }: ModelChange,
  change: Change | 'deleted-for-good',
  { kind, id, plural_noun }: RecordType,
): Promise<void> =>
  audit(tx, {
    actor: model.actors.get(context.actor) ?? null,
    workspaceId: model.workspace.id,
    action: `${kind}.${change}`,
    subject: { type: kind, id, name: plural_noun },
    now: context.now(),
  })
