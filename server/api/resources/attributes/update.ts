/**
 * Changes a custom attribute. Its type and `is_multiselect` cannot change.
 * See docs/reference/objects-and-attributes.md (Attributes).
 */

import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { changeModel, blockEntityWrites, type ModelChange } from '#engine/data-model/change-model'
import { allowedObjectIds, entityTypeOf, isVisibleToClients, otherSideOf } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { attributeEvents } from '#events/feed/model-events'
import { emptyPayload } from '#base/errors/http'
import { parseConfigChange } from '#engine/attribute-types/definition/config'
import { parseDefault, refuseDisabledDefault, refuseTakenSlug, refuseUnique } from './rules'
import { refuseOtherObjects } from './create'
import { renderAttribute } from './render'
import { AttributeChange, type AttributeOutput } from './schemas'
import { getAttributeById, getEditable, saveAttribute } from './store'
import { compileLayout, creationOf, idOf, type Layout, type Row } from '#engine/storage/layout'
import { uniqueKeys } from '#engine/storage/unique-keys'
import { deleteRowsOf, insertFreeKeys, readEntityPage } from '#engine/storage/statements/entity-type-statements'
import { sql } from 'kysely'
import { renderArray } from '#db/connect'
import { makeFormulas } from '#engine/formulas/fill'
import { refuseNamedAttributes } from '#engine/rollups/refuse-named'
import { applyComputed, changeComputed, refuseComputedChange } from './computed'
import { dropAttributes } from '#engine/workspaces/write-entity-types'

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
    refuseComputedChange(attribute, input)
    const next = await changed(context, step, entityType, attribute, input)
    if (next.is_archived && !attribute.is_archived) refuseNamedAttributes(step.model, [attribute])
    if (mattersToWriters(attribute, next)) await blockEntityWrites(step.tx, entityType)
    const has_duplicates =
      next.is_unique === attribute.is_unique ? next.has_duplicates : await changeUniqueness(step, entityType, next)
    await saveAttribute(step, { ...next, has_duplicates })
    if (!Bun.deepEquals(attribute.computed, next.computed)) await applyComputed(step, next, context.now)
    const partner = next.is_archived === attribute.is_archived ? [] : await archivePartner(step, next)
    const isMoved = input.sort_order !== undefined && (await moveAttribute(step, entityType, next, input.sort_order))
    if (isMoved || !Bun.deepEquals(attribute, next)) await attributeEvents(context, step, 'updated', [next, ...partner])
    return attribute.id
  })
  return renderAttribute(model, getAttributeById(model, id))
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
  const { config: configInput = {}, default_value: defaultInput, computed: computedInput, ...members } = input
  refuseDisabledDefault(members.is_required ?? attribute.is_required, members.is_default_value_enabled)
  if (members.api_slug !== undefined) refuseTakenSlug(entityType, members.api_slug, attribute)
  if (members.is_unique === true) refuseUnique({ type: attribute.type, is_unique: true })
  const config = changedConfig(step.model, attribute, configInput)
  const computed = computedInput && (await changeComputed(step, entityType, attribute, computedInput))
  const next = { ...attribute, ...pick(members), config, ...(computed && { computed }) }
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
const pick = (members: Omit<AttributeChange, 'config' | 'default_value' | 'computed'>): Partial<Attribute> =>
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
  await blockEntityWrites(step.tx, entityTypeOf(step.model, partner))
  await saveAttribute(step, { ...partner, is_archived: attribute.is_archived })
  return [partner]
}

// Inserts or deletes the unique keys of an attribute when `is_unique` changes. Stored duplicates remain.
// See docs/reference/values.md (Unique values).

/** When several entities have the same value, the entity that was created first gets the key. Returns whether there are such values. */
async function changeUniqueness(step: ModelChange, entityType: EntityType, attribute: Attribute): Promise<boolean> {
  const { tx, model } = step
  let hasDuplicates = false
  if (!attribute.is_unique) {
    await deleteRowsOf(tx, model, 'uniques', [attribute])
    return hasDuplicates
  }
  const layout = compileLayout(model, entityType, [attribute])
  let page = await readEntityPage(tx, entityType, layout)
  for (;;) {
    const last = page.at(-1)
    if (!last) return hasDuplicates
    const keys = page.flatMap((row) => keysOf(attribute, layout, row))
    if ((await insertFreeKeys(tx, model, keys)) < keys.length) hasDuplicates = true
    page = await readEntityPage(tx, entityType, layout, last)
  }
}

function keysOf(attribute: Attribute, { attributes }: Layout, row: Row) {
  const versions = attributes.flatMap(({ read }) => read(row, creationOf(row), null))
  const keys = uniqueKeys(
    attribute,
    versions.map(({ stored }) => stored),
  )
  return keys.map((key) => ({ ...key, entity_id: idOf(row) }))
}

/** Moves attributes, options and statuses within their order. See docs/decisions/attribute-types.md. */
interface Item {
  readonly id: string
}

/** Returns the items with the moved one at an index that counts the visible items only. */
export function moveItem<T extends Item>(
  items: readonly T[],
  { id }: Item,
  index: number,
  isVisible: (item: T) => boolean = () => true,
): readonly T[] {
  const others = items.filter((item) => item.id !== id)
  const next = others.filter(isVisible)[index]
  return others.toSpliced(next ? others.indexOf(next) : others.length, 0, ...items.filter((item) => item.id === id))
}

/** Stores the order of all custom attributes of an entity type, or of all options of an attribute. Later ones go behind them. */
export async function saveOrder(
  { control, model }: ModelChange,
  table: 'relata.attributes' | 'relata.options',
  items: readonly Item[],
): Promise<void> {
  const ids = items.map(({ id }) => id)
  await control
    .updateTable(table)
    .set({ position: sql<number>`array_position(${renderArray(ids)}::uuid[], id)` })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', 'in', ids)
    .execute()
}

// Deletes a custom attribute with its values and the other side of its relationship. Deletion cannot be undone.
// See docs/reference/objects-and-attributes.md (Attributes).

/** Throws 404 for an unknown attribute, and 400 for a system attribute. */
export async function deleteAttribute(context: RequestContext, find: FindEntityType, slugOrId: string): Promise<void> {
  await changeModel(context, async (step) => {
    const attribute = getEditable(step.model, find(step.model), slugOrId)
    const partner = otherSideOf(step.model, attribute)
    const attributes = partner ? [attribute, partner] : [attribute]
    refuseNamedAttributes(step.model, attributes)
    await dropAttributes(step, attributes)
    if (attribute.computed?.formula) await makeFormulas(step, attribute.entity_type_id)
  })
}
