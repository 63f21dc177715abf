/**
 * Changes a custom attribute. Its type and `is_multiselect` cannot change.
 * See docs/reference/objects-and-attributes.md (Attributes).
 */

import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { changeModel, lockEntities, type ModelChange } from '#engine/data-model/change-model'
import { allowedObjectIds, entityTypeOf, isVisibleToClients, otherSideOf } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { attributeEvents } from '#events/feed/model-events'
import { emptyPayload } from '#base/errors/http'
import { parseConfigChange } from '#engine/attribute-types/definition/config'
import { parseDefault } from './default-value'
import { refuseOtherObjects } from './relationship'
import { renderAttribute } from './render'
import { refuseDisabledDefault, refuseTakenSlug, refuseUnique } from './rules'
import { AttributeChange, type AttributeOutput } from './schemas'
import { moveItem, saveOrder } from './sort-order'
import { getById, getEditable } from './target'
import { saveAttribute } from './store'
import { changeUniqueness } from './unique-keys'

/**
 * Changes only the members of the input. Throws 404 for an unknown attribute, 400 for a system attribute and an empty input, 409
 * for a slug that another one has.
 */
export async function updateAttribute(
  context: RequestContext,
  find: FindEntityType,
  slugOrId: string,
  input: AttributeChange,
): Promise<AttributeOutput> {
  if (isEmpty(input)) throw emptyPayload()
  const { changed: id, model } = await changeModel(context, async (step) => {
    const entityType = find(step.model)
    const attribute = getEditable(step.model, entityType, slugOrId)
    const next = await changed(context, step, entityType, attribute, input)
    if (mattersToWriters(attribute, next)) await lockEntities(step.tx, entityType)
    await saveAttribute(step, next)
    const partner = next.is_archived === attribute.is_archived ? [] : await archivePartner(step, next)
    if (next.is_unique !== attribute.is_unique) await changeUniqueness(step, entityType, next)
    const isMoved = input.sort_order !== undefined && (await moveAttribute(step, entityType, next, input.sort_order))
    if (isMoved || !Bun.deepEquals(attribute, next)) await attributeEvents(context, step, 'updated', [next, ...partner])
    return attribute.id
  })
  return renderAttribute(model, getById(model, id))
}

const MEMBERS = Object.keys(AttributeChange.properties) as (keyof AttributeChange)[] // the schema has exactly the members of the type

const isEmpty = (input: AttributeChange): boolean => MEMBERS.every((member) => input[member] === undefined)

/** Returns the attribute with the changes. */
async function changed(
  context: RequestContext,
  step: ModelChange,
  entityType: EntityType,
  attribute: Attribute,
  input: AttributeChange,
): Promise<Attribute> {
  const { config: configInput = {}, default_value: defaultInput, ...members } = input
  refuseDisabledDefault(members.is_required ?? attribute.is_required, members.is_default_value_enabled)
  if (members.api_slug !== undefined) refuseTakenSlug(entityType, members.api_slug, attribute)
  if (members.is_unique === true) refuseUnique(entityType, { type: attribute.type, is_unique: true })
  const config = changedConfig(step.model, attribute, configInput)
  const next = { ...attribute, ...pick(members), config }
  if (defaultInput === undefined) return next
  const default_value = await parseDefault(context, step, entityType, next, defaultInput)
  return { ...next, default_value, is_default_value_enabled: input.is_default_value_enabled ?? default_value !== null }
}

const CHANGEABLE = [
  'title',
  'description',
  'api_slug',
  'is_required',
  'is_unique',
  'is_default_value_enabled',
  'is_archived',
] as const

/** Returns the members that can change, without the others of the body. */
const pick = (members: Omit<AttributeChange, 'config' | 'default_value'>): Partial<Attribute> =>
  Object.fromEntries(CHANGEABLE.filter((name) => members[name] !== undefined).map((name) => [name, members[name]]))

function changedConfig(
  model: DataModel,
  attribute: Attribute,
  input: NonNullable<AttributeChange['config']>,
): Attribute['config'] {
  const config = parseConfigChange(model, attribute.type, input)
  const partner = otherSideOf(model, attribute)
  if (partner) refuseOtherObjects({ config }, entityTypeOf(model, partner))
  return { ...attribute.config, ...withHiddenTargets(attribute, config) }
}

/** The member cannot name hidden objects, so the attribute still allows those that it allowed before. */
function withHiddenTargets(attribute: Attribute, config: Attribute['config']): Attribute['config'] {
  const {
    hiddenTargets,
    config: { record_reference },
  } = attribute
  const allowed = config.record_reference?.allowed_object_ids
  if (hiddenTargets === undefined || !allowed || !record_reference) return config
  if (Bun.deepEquals(allowed, allowedObjectIds(attribute))) return { ...config, record_reference }
  const allowed_object_ids = [...allowed, ...hiddenTargets.map(({ id }) => id)]
  return { ...config, record_reference: { allowed_object_ids } }
}

/** Moves an attribute among the custom ones, of which the caller counts the visible ones. Returns whether the order changed. */
async function moveAttribute(
  step: ModelChange,
  { attributes }: EntityType,
  moved: Attribute,
  sortOrder: number,
): Promise<boolean> {
  const custom = attributes.filter(({ is_system_attribute }) => !is_system_attribute)
  const next = moveItem(custom, moved, sortOrder, (one) => isVisibleToClients(step.model, one))
  if (next.every(({ id }, index) => id === custom[index]?.id)) return false
  await saveOrder(step, 'relata.attributes', next)
  return true
}

/** Whether the change affects writes: then earlier writes end before it, and later ones use it. */
const mattersToWriters = (before: Attribute, after: Attribute): boolean =>
  before.is_required !== after.is_required ||
  before.is_unique !== after.is_unique ||
  before.is_archived !== after.is_archived

/** Archives or restores the other side of a relationship as well. Returns the other side, if there is one. */
async function archivePartner(step: ModelChange, attribute: Attribute): Promise<Attribute[]> {
  const partner = otherSideOf(step.model, attribute)
  if (!partner) return []
  await lockEntities(step.tx, entityTypeOf(step.model, partner))
  await saveAttribute(step, { ...partner, is_archived: attribute.is_archived })
  return [partner]
}
