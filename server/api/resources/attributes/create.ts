/**
 * Creates a custom attribute of an object or a list, with its columns.
 * See docs/reference/objects-and-attributes.md (Attributes).
 */

import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { allocateNumbers, changeModel, lockEntities, type ModelChange } from '#engine/data-model/change-model'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { attributeEvents } from '#events/feed/model-events'
import { timestampFromMicros } from '#base/timing/clock'
import { insertAttributes, insertTargetOf } from '#engine/workspaces/insert-entity-types'
import { buildAttribute } from '#engine/workspaces/build-attribute'
import { parseConfig } from '#engine/attribute-types/definition/config'
import { parseDefault } from './default-value'
import { otherSide, createSides } from './relationship'
import { renderAttribute } from './render'
import { refuseDisabledDefault, refuseShape, refuseTakenSlug } from './rules'
import type { AttributeInput, AttributeOutput } from './schemas'
import { getById } from './target'

/** The entity type is the one that `find` returns. Throws 400 for an invalid attribute, and 409 for a slug that another one has. */
export async function createAttribute(
  context: RequestContext,
  find: FindEntityType,
  input: AttributeInput,
): Promise<AttributeOutput> {
  const { changed: id, model } = await changeModel(context, async (step) => {
    const entityType = find(step.model)
    refuseShape(entityType, input)
    refuseDisabledDefault(input.is_required, input.is_default_value_enabled)
    refuseTakenSlug(entityType, input.api_slug)
    const attribute = await draft(context, step, entityType, input)
    await lockEntities(step.tx, entityType)
    await attributeEvents(context, step, 'created', await insert(step, entityType, attribute, input))
    return attribute.id
  })
  return renderAttribute(model, getById(model, id))
}

async function draft(
  context: RequestContext,
  step: ModelChange,
  entityType: EntityType,
  input: AttributeInput,
): Promise<Attribute> {
  const { title, description, api_slug, type, is_required, is_unique, is_multiselect, default_value = null } = input
  const config = parseConfig(step.model, type, input.config)
  // The second number is for the other side of a relationship; without one it stays unused.
  const number = await allocateNumbers(step.tx, step.model.workspace.id, 2)
  const attribute = buildAttribute(
    { title, description, api_slug, type, is_required, is_unique, is_multiselect, config },
    { entity_type_id: entityType.id, number, created_at: timestampFromMicros(context.now()) },
  )
  const kept = await parseDefault(context, step, entityType, attribute, default_value)
  return {
    ...attribute,
    default_value: kept,
    is_default_value_enabled: input.is_default_value_enabled ?? kept !== null,
  }
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
    await insertAttributes(insertTargetOf(step), entityType, [attribute])
    return [attribute]
  }
  const other = otherSide(step, entityType, input, relationship)
  const [first, second] = await createSides(step, attribute, other, relationship)
  await insertAttributes(insertTargetOf(step), entityType, [first])
  await insertAttributes(insertTargetOf(step), other, [second])
  return [first, second]
}
