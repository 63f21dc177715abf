/**
 * Creates a custom attribute of an object or a list, with its columns.
 * See docs/reference/objects-and-attributes.md (Attributes).
 */

import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { allocateNumbers, blockEntityWrites, changeModel, type ModelChange } from '#engine/data-model/change-model'
import { type Attribute, type DataModel, type EntityType, hasRecords } from '#engine/data-model/model'
import { attributeEvents } from '#events/feed/model-events'
import { timestampFromMicros } from '#base/timing/clock'
import { insertAttributes, insertTargetOf } from '#engine/workspaces/write-entity-types'
import { buildAttribute, buildOption, isStoringSide } from '#engine/workspaces/build-attribute'
import { parseConfig } from '#engine/attribute-types/definition/config'
import { attributeSlugConflict, parseDefault, refuseDisabledDefault, refuseShape, refuseTakenSlug } from './rules'
import { renderAttribute } from './render'
import type { AttributeInput, AttributeOutput, ComputedInput, RelationshipInput } from './schemas'
import { getAttributeById } from './store'
import { getTarget } from '#engine/attribute-types/formats/references'
import { attributeType } from '#engine/attribute-types/registry'
import { allowedObjectIds, getAttribute, getObject, requireWritable } from '#engine/data-model/find'
import { invalidBody } from '#base/errors/http'
import { requestedConfig } from '#transfer/import/mapping/bind-columns'
import type { MissingDefinitions } from '#transfer/import/mapping/check-mapping'
import type { BackgroundContext } from '#engine/entities/write/background-context'
import { applyComputed, parseComputed, refreshNamingFormulas, refuseComputedShape } from './computed'
import type { OptionKind } from '#engine/attribute-types/define'
import {
  getWritable,
  insertOption,
  newOption,
  orTitleConflict,
  parseNewOptions,
  parseTitle,
  refuseTakenTitle,
} from './options/option'

/** The entity type is the one that `find` returns. Throws 400 for an invalid attribute, and 409 for a slug that another one has. */
export async function createAttribute(
  context: RequestContext,
  find: FindEntityType,
  input: AttributeInput,
): Promise<AttributeOutput> {
  const { changed: id, model } = await changeModel(context, async (step) => {
    const entityType = find(step.model)
    if (input.computed) refuseComputedShape(entityType, input)
    else refuseShape(entityType, input)
    refuseDisabledDefault(input.is_required, input.is_default_value_enabled)
    refuseTakenSlug(entityType, input.api_slug)
    const attribute = await draft(context, step, entityType, input)
    await blockEntityWrites(step.tx, entityType)
    await attributeEvents(context, step, 'created', await insert(step, entityType, attribute, input))
    if (attribute.computed) await applyComputed(step, attribute, context.now)
    return attribute.id
  })
  return renderAttribute(model, getAttributeById(model, id))
}

async function draft(
  context: RequestContext,
  step: ModelChange,
  entityType: EntityType,
  input: AttributeInput,
): Promise<Attribute> {
  if (input.computed) return draftComputed(context, step, entityType, { ...input, computed: input.computed })
  const { title, description, api_slug, type, is_required, is_unique, is_multiselect, default_value = null } = input
  const config = parseConfig(step.model, type, input.config)
  const given = parseNewOptions(input)
  // The second number is for the other side of a relationship; without one it stays unused. The others are for options.
  const number = await allocateNumbers(step.tx, step.model.workspace.id, 2 + given.length)
  const { optionKind } = attributeType(type)
  const options =
    optionKind === undefined ? [] : given.map((option, index) => newOption(number + 2 + index, optionKind, option))
  const attribute = buildAttribute(
    {
      title,
      description,
      api_slug,
      type,
      is_required,
      is_unique,
      is_multiselect,
      config,
      options,
    },
    { entity_type_id: entityType.id, number, created_at: timestampFromMicros(context.now()) },
  )
  const kept = await parseDefault(context, step, entityType, attribute, default_value)
  return {
    ...attribute,
    default_value: kept,
    is_default_value_enabled: input.is_default_value_enabled ?? kept !== null,
  }
}

/** A computed attribute. The trigger of the table or a worker fills its columns, or a function computes it when it is read. */
async function draftComputed(
  context: RequestContext,
  step: ModelChange,
  entityType: EntityType,
  input: AttributeInput & { readonly computed: ComputedInput },
): Promise<Attribute> {
  const { title, description, api_slug, type } = input
  const { computed, stored_in } = await parseComputed(step, entityType, input.computed, input)
  const number = await allocateNumbers(step.tx, step.model.workspace.id, 1)
  return buildAttribute(
    {
      title,
      description,
      api_slug,
      type,
      config: parseConfig(step.model, type, input.config),
      is_writable: false,
      has_history: input.computed.tracked === true,
      is_multiselect: input.is_multiselect,
      stored_in,
      computed,
    },
    { entity_type_id: entityType.id, number, created_at: timestampFromMicros(context.now()) },
  )
}

/** Inserts the attribute, and the other side if it is a relationship. */
async function insert(
  step: ModelChange,
  entityType: EntityType,
  attribute: Attribute,
  input: AttributeInput,
): Promise<Attribute[]> {
  const { relationship } = input
  if (!relationship) {
    const { optionKind } = attributeType(attribute.type)
    const inserted = insertAttributes(insertTargetOf(step), entityType, [attribute])
    const titles = attribute.options.map(({ title }) => title).join(', ')
    await (optionKind === undefined ? inserted : orTitleConflict(inserted, titles, optionKind))
    return [attribute]
  }
  const other = otherSide(step, entityType, input, relationship)
  const [first, second] = await createSides(step, attribute, other, relationship)
  await insertAttributes(insertTargetOf(step), entityType, [first])
  await insertAttributes(insertTargetOf(step), other, [second])
  return [first, second]
}

// Creates the two sides of a relationship together.
// See docs/reference/objects-and-attributes.md (Relationship attributes).

/** Returns the object or activity on the other side, which may be the same one. */
function otherSide(
  { model }: ModelChange,
  entityType: EntityType,
  input: AttributeInput,
  wanted: RelationshipInput,
): EntityType {
  if (!attributeType(input.type).refersToRecords) throw invalidRelationship('Only record-reference attributes have one')
  if (!hasRecords(entityType)) throw invalidRelationship('Attributes of lists have none')
  const other = getTarget(model, wanted.object)
  requireWritable(other)
  refuseTakenSlug(other, wanted.api_slug)
  if (other.id === entityType.id && wanted.api_slug === input.api_slug)
    throw attributeSlugConflict(other, wanted.api_slug)
  return other
}

/** Refuses `allowed_objects` that name another object than that of the other side. */
export function refuseOtherObjects(
  attribute: Pick<Attribute, 'config'>,
  other: Pick<EntityType, 'id' | 'api_slug'>,
): void {
  if (allowedObjectIds(attribute).every((id) => id === other.id)) return
  const message = `A relationship with ${other.api_slug} allows records of ${other.api_slug} only`
  throw invalidBody([{ code: 'invalid', path: ['data', 'config', 'record_reference', 'allowed_objects'], message }])
}

/** Returns both sides, each referring to the entity type of the other. The first is the requested attribute. */
async function createSides(
  { tx }: ModelChange,
  first: Attribute,
  other: EntityType,
  wanted: RelationshipInput,
): Promise<[Attribute, Attribute]> {
  refuseOtherObjects(first, other)
  await blockEntityWrites(tx, other)
  const { title, api_slug, is_multiselect } = wanted
  const place = { entity_type_id: other.id, number: first.number + 1, created_at: first.created_at }
  const second = buildAttribute({ title, api_slug, is_multiselect, type: first.type }, place)
  const stores = isStoringSide(first, second)
  return [
    { ...first, ...side(second, other.id, stores) },
    { ...second, ...side(first, first.entity_type_id, !stores) },
  ]
}

const side = (partner: Attribute, entityTypeId: string, stores: boolean) => ({
  relationship_attribute_id: partner.id,
  config: { record_reference: { allowed_object_ids: [entityTypeId] } },
  stored_in: stores ? ('columns' as const) : ('partner' as const),
})

const invalidRelationship = (message: string) =>
  invalidBody([{ code: 'invalid', path: ['data', 'relationship'], message }])

/** Creates the attributes and options that an import needs, with the operations of the API. */
export async function createMissing(
  importContext: BackgroundContext,
  objectId: string,
  { attributes, options }: MissingDefinitions,
): Promise<void> {
  const find = (model: DataModel) => getObject(model, objectId)
  for (const attribute of attributes) {
    const { title, api_slug, type, is_multiselect } = attribute
    await createAttribute(importContext.context(), find, {
      title,
      description: null,
      api_slug,
      type,
      is_required: false,
      is_unique: false,
      is_multiselect,
      config: requestedConfig(attribute),
    })
  }
  for (const [slug, titles] of options) await createMissingOptions(importContext.context(), find, slug, titles)
  await importContext.context().reloadModel()
}

async function createMissingOptions(
  context: RequestContext,
  find: (model: DataModel) => ReturnType<typeof getObject>,
  slug: string,
  titles: readonly string[],
): Promise<void> {
  const model = await context.reloadModel()
  const { optionKind } = attributeType(getAttribute(find(model), slug).type)
  if (optionKind === undefined) throw new Error(`Attribute ${slug} has no options.`)
  await createOptions(context, find, slug, optionKind, titles)
}

// Creates many options or statuses in one request. See docs/reference/objects-and-attributes.md (Select options and statuses).

/** The new options come after all others, in the order of `titles`. One change of the data model creates all of them or none. */
async function createOptions(
  context: RequestContext,
  find: FindEntityType,
  slugOrId: string,
  kind: OptionKind,
  titles: readonly string[],
): Promise<void> {
  const wanted = titles.map((title) => parseTitle(title))
  await changeModel(context, async (step) => {
    const attribute = getWritable(step.model, find(step.model), slugOrId, kind)
    for (const title of wanted) refuseTakenTitle(attribute, title, kind)
    const first = await allocateNumbers(step.tx, step.model.workspace.id, wanted.length)
    const created_at = timestampFromMicros(context.now())
    for (const [index, title] of wanted.entries()) {
      await orTitleConflict(insertOption(step, attribute, buildOption(first + index, title), created_at), title, kind)
    }
    await refreshNamingFormulas(step, attribute, context.now)
    await attributeEvents(context, step, 'updated', [attribute])
  })
}
