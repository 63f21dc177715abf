/**
 * Deletes a custom object with its records, its attributes, the lists of its records, and everything in other objects and
 * lists that refers to it. Deletion cannot be undone. See docs/reference/objects-and-attributes.md (Objects).
 */

import { auditList } from '#access/list-access/audit-list'
import type { RequestContext } from '#context'
import { changeModel, lockEntities, type ModelChange } from '#engine/data-model/change-model'
import { getWritableObject, entityTypeOf } from '#engine/data-model/find'
import { type Attribute, type DataModel, type ObjectType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { systemAttributeNotEditable } from '#base/errors/attributes'
import { objectNotEmpty } from '#base/errors/objects'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import type { ChangeEvent } from '#vocabulary/event-types'
import { attributeEvents } from '#events/feed/model-events'
import { listsOf } from '#engine/storage/parent'
import { attributesReferringTo } from '#engine/storage/references'
import { deleteEndedReferences, findReferringToObject } from '#engine/storage/statements/attribute-statements'
import { hasEntities } from '#engine/storage/statements/entity-type-statements'
import { updateEach } from '#engine/entities/relationships/relationships'
import { dropAttributes, dropEntityType } from '#engine/workspaces/drop-entity-types'
import { disallow } from './store'

export async function deleteObject(
  context: RequestContext,
  slugOrId: string,
  options: { force: boolean },
): Promise<void> {
  await changeModel(context, async (step) => {
    const object = getWritableObject(step.model, slugOrId)
    if (object.standard_slug !== null) throw systemAttributeNotEditable('Cannot delete a standard object.')
    await lockEntities(step.tx, object)
    if (!options.force && (await hasEntities(step.tx, object))) throw objectNotEmpty(object.api_slug)
    await dropLists(context, step, object)
    await removeReferences(context, step, object)
    await dropEntityType(step, object)
  })
}

async function dropLists(context: RequestContext, step: ModelChange, object: ObjectType): Promise<void> {
  const lists = listsOf(step.model, object)
  for (const list of lists) {
    await lockEntities(step.tx, list)
    await dropEntityType(step, list)
    await auditList(context, step, 'deleted', list)
  }
  const events = lists.map(({ id }): ChangeEvent => ({ event_type: 'list.deleted', id: { list_id: id } }))
  await appendToOutbox(step.tx, eventOriginOf(context), events)
}

/** Deletes attributes that can refer only to this object, and the values of other attributes that refer to its records. */
async function removeReferences(context: RequestContext, step: ModelChange, object: ObjectType): Promise<void> {
  const { model } = step
  const elsewhere = attributesOfOthers(model, object)
  for (const attribute of attributesReferringTo(model, object)) {
    if (isGone(model, attribute, object) || isOnlyTowards(attribute, object)) continue
    await lockEntities(step.tx, entityTypeOf(model, attribute))
    await removeValues(step, attribute, object, context.now())
    await disallow(step, attribute, object)
    await attributeEvents(context, step, 'updated', [attribute])
  }
  await dropAttributes(
    step,
    elsewhere.filter((attribute) => isOnlyTowards(attribute, object)),
  )
}

const attributesOfOthers = (model: DataModel, object: ObjectType): Attribute[] =>
  [...model.attributesById.values()].filter((attribute) => !isGone(model, attribute, object))

/** Whether the attribute belongs to the object or to a list of its records. */
const isGone = (model: DataModel, attribute: Attribute, object: ObjectType): boolean =>
  [object, ...listsOf(model, object)].some(({ id }) => id === attribute.entity_type_id)

/** Hidden objects count as well. */
function isOnlyTowards({ config }: Attribute, object: ObjectType): boolean {
  const allowed = config.record_reference?.allowed_object_ids ?? []
  return allowed.length === 1 && allowed[0] === object.id
}

/** Deletes values that refer to the object's records, without history: a historic value could not name its object. */
async function removeValues(step: ModelChange, attribute: Attribute, object: ObjectType, now: number): Promise<void> {
  const { tx, model } = step
  const ids = await findReferringToObject(tx, model, attribute, object)
  await updateEach({ tx, model, stamp: { now, actor: SYSTEM_ACTOR } }, attribute, ids, (values) =>
    values.filter(({ stored }) => stored.target_object !== object.number),
  )
  await deleteEndedReferences(tx, model, attribute, object)
}
