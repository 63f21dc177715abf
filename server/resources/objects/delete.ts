/**
 * Deletes a custom object for good: its records, its attributes, the lists of its records, and everything in other
 * objects and lists that refers to it. Spec: resources 1.
 */

import type { Call } from '../../call'
import { changeModel, lockHolders, type ModelChange } from '../../data-model/change-model'
import { getObject, ownerOf } from '../../data-model/find'
import type { Attribute, DataModel, ObjectOwner } from '../../data-model/model'
import { objectNotEmpty, systemEdit } from '../../errors/errors'
import { appendEvents, originOf } from '../../events/outbox'
import type { NewEvent } from '../../events/event-types'
import { tellAttributes } from '../../events/model-events'
import { listsOf } from '../../entities/read/parent'
import { attributesReferringTo } from '../../storage/references'
import { updateEach } from '../../entities/relationships/relationships'
import { dropAttributes, dropOwner } from '../../workspaces/drop-entity-types'
import { disallow, findReferring, forgetReferences, hasRecords } from './store'

const SYSTEM = 0

export async function deleteObject(call: Call, slugOrId: string, options: { force: boolean }): Promise<void> {
  await changeModel(call, async (step) => {
    const object = getObject(step.model, slugOrId)
    if (object.standard_slug !== null) throw systemEdit('Cannot delete a standard object.')
    await lockHolders(step.tx, object)
    if (!options.force && (await hasRecords(step, object))) throw objectNotEmpty(object.api_slug)
    await dropLists(call, step, object)
    await removeReferences(call, step, object)
    await dropOwner(step, object)
  })
}

async function dropLists(call: Call, step: ModelChange, object: ObjectOwner): Promise<void> {
  const lists = listsOf(step.model, object)
  for (const list of lists) {
    await lockHolders(step.tx, list)
    await dropOwner(step, list)
  }
  const told = lists.map(({ id }): NewEvent => ({ event_type: 'list.deleted', id: { list_id: id } }))
  await appendEvents(step.tx, originOf(call), told)
}

/** Attributes that can refer to nothing else go; of the others, the values that refer to the object's records. */
async function removeReferences(call: Call, step: ModelChange, object: ObjectOwner): Promise<void> {
  const { model } = step
  const elsewhere = attributesOfOthers(model, object)
  for (const attribute of attributesReferringTo(model, object)) {
    if (isGone(model, attribute, object) || isOnlyTowards(attribute, object)) continue
    await lockHolders(step.tx, ownerOf(model, attribute))
    await removeValues(step, attribute, object, call.now())
    await disallow(step, attribute, object)
    await tellAttributes(call, step, 'updated', [attribute])
  }
  await dropAttributes(
    step,
    elsewhere.filter((attribute) => isOnlyTowards(attribute, object)),
  )
}

const attributesOfOthers = (model: DataModel, object: ObjectOwner): Attribute[] =>
  [...model.attributesById.values()].filter((attribute) => !isGone(model, attribute, object))

/** Whether an attribute goes with the object, as its own or as that of a list of its records. */
const isGone = (model: DataModel, attribute: Attribute, object: ObjectOwner): boolean =>
  [object, ...listsOf(model, object)].some(({ id }) => id === attribute.owner_id)

function isOnlyTowards({ config }: Attribute, object: ObjectOwner): boolean {
  const allowed = config.record_reference?.allowed_object_ids
  return allowed?.length === 1 && allowed[0] === object.id
}

/** Nothing is left to say what an ended value referred to, so these leave no history. */
async function removeValues(step: ModelChange, attribute: Attribute, object: ObjectOwner, now: number): Promise<void> {
  const { tx, model } = step
  const ids = await findReferring(step, attribute, object)
  await updateEach({ tx, model, stamp: { now, actor: SYSTEM } }, attribute, ids, (versions) =>
    versions.filter(({ stored }) => stored.target_object !== object.number),
  )
  await forgetReferences(step, attribute, object)
}
