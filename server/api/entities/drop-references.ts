/** Removes what refers to the records of an object or an activity, when it is deleted. */

import { sql as expression } from 'kysely'
import type { RequestContext } from '#context'
import { blockEntityWrites, type ModelChange } from '#engine/data-model/change-model'
import { entityTypeOf } from '#engine/data-model/find'
import { type Attribute, type DataModel, type RecordType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { updateEach } from '#engine/entities/relationships/relationships'
import { listsOf } from '#engine/storage/read-entities'
import { attributesReferringTo } from '#engine/storage/layout'
import { deleteEndedReferences, findReferringToObject } from '#engine/storage/statements/attribute-statements'
import { dropAttributes } from '#engine/workspaces/drop-entity-types'
import { attributeEvents } from '#events/feed/model-events'

/** Deletes attributes that can refer only to this object, and the values of other attributes that refer to its records. */
export async function dropReferencesTo(context: RequestContext, step: ModelChange, object: RecordType): Promise<void> {
  const { model } = step
  const elsewhere = attributesOfOthers(model, object)
  for (const attribute of attributesReferringTo(model, object)) {
    if (isGone(model, attribute, object) || isOnlyTowards(attribute, object)) continue
    await blockEntityWrites(step.tx, entityTypeOf(model, attribute))
    await removeValues(step, attribute, object, context.now())
    await removeAllowedObject(step, attribute, object)
    await attributeEvents(context, step, 'updated', [attribute])
  }
  await dropAttributes(
    step,
    elsewhere.filter((attribute) => isOnlyTowards(attribute, object)),
  )
}

const attributesOfOthers = (model: DataModel, object: RecordType): Attribute[] =>
  [...model.attributesById.values()].filter((attribute) => !isGone(model, attribute, object))

/** Whether the attribute belongs to the object or to a list of its records. */
const isGone = (model: DataModel, attribute: Attribute, object: RecordType): boolean =>
  [object, ...listsOf(model, object)].some(({ id }) => id === attribute.entity_type_id)

/** Hidden objects count as well. */
function isOnlyTowards({ config }: Attribute, object: RecordType): boolean {
  const allowed = config.record_reference?.allowed_object_ids ?? []
  return allowed.length === 1 && allowed[0] === object.id
}

/** Deletes values that refer to the object's records, without history: a historic value could not name its object. */
async function removeValues(step: ModelChange, attribute: Attribute, object: RecordType, now: number): Promise<void> {
  const { tx, model } = step
  const ids = await findReferringToObject(tx, model, attribute, object)
  await updateEach({ tx, model, stamp: { now, actor: SYSTEM_ACTOR } }, attribute, ids, (values) =>
    values.filter(({ stored }) => stored.target_object !== object.number),
  )
  await deleteEndedReferences(tx, model, attribute, object)
}

/** Removes the object from the allowed objects of an attribute that restricts them. */
export async function removeAllowedObject(
  { control, model }: ModelChange,
  attribute: Attribute,
  object: RecordType,
): Promise<void> {
  const allowed = expression`(config #> '{record_reference,allowed_object_ids}')`
  await control
    .updateTable('relata.attributes')
    .set({
      config: expression<string>`jsonb_set(config, '{record_reference,allowed_object_ids}', ${allowed} - ${object.id}::text)`,
    })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', attribute.id)
    .where(expression<boolean>`${allowed} ? ${object.id}::text`)
    .execute()
}
