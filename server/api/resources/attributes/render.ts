/** Renders attributes. See docs/reference/objects-and-attributes.md (Attributes). */

import { namesHidden } from '#engine/data-model/access/hidden'
import { type Attribute, type DataModel, isDefaultEnabled } from '#engine/data-model/model'
import { allowedObjectIds, entityTypeOf, otherSideOf, refersToDeleted } from '#engine/data-model/find'
import { formulaText } from '#engine/formulas/parse-formula'
import { renderLookup, renderRollup } from '#engine/rollups/parse-rollup'
import type { AttributeOutput } from './schemas'

export const renderAttribute = (model: DataModel, attribute: Attribute): AttributeOutput => ({
  id: renderId(model, attribute),
  title: attribute.title,
  description: attribute.description,
  api_slug: attribute.api_slug,
  type: attribute.type,
  is_system_attribute: attribute.is_system_attribute || attribute.computed != null,
  is_writable: attribute.is_writable,
  is_required: attribute.is_required,
  is_unique: attribute.is_unique,
  is_multiselect: attribute.is_multiselect,
  is_default_value_enabled: isDefaultEnabled(attribute),
  is_archived: attribute.is_archived,
  default_value: renderDefault(model, attribute),
  relationship: renderRelationship(model, attribute),
  created_at: attribute.created_at,
  config: renderConfig(attribute),
  ...renderComputed(model, attribute),
})

function renderComputed(model: DataModel, attribute: Attribute): Pick<AttributeOutput, 'computed'> {
  if (!attribute.computed) return {}
  const { stored_in } = attribute
  const { formula, lookup, rollup } = attribute.computed
  const entityType = entityTypeOf(model, attribute)
  const isFilling = stored_in === 'worker' ? attribute.isFilling : entityType.isFilling
  return {
    computed: {
      ...(formula && { formula: formulaText(entityType, formula) }),
      ...(lookup && { lookup: renderLookup(model, lookup) }),
      ...(rollup && { rollup: renderRollup(model, rollup) }),
      tracked: attribute.has_history,
      is_stored: stored_in !== 'function',
      is_complete: stored_in === 'function' || isFilling !== true,
    },
  }
}

const renderId = (model: DataModel, { id, entity_type_id }: Attribute): AttributeOutput['id'] => ({
  workspace_id: model.workspace.id,
  object_id: entity_type_id,
  attribute_id: id,
})

function renderDefault(model: DataModel, { default_value }: Attribute): AttributeOutput['default_value'] {
  if (default_value?.type !== 'static') return default_value
  const visible = default_value.template.filter(
    (value) => !namesHidden(model, JSON.stringify(value)) && !refersToDeleted(model, value),
  )
  return { type: 'static', template: visible.map(typeLast) }
}

/** Returns a value of a template with `attribute_type` last, as in records. PostgreSQL does not preserve the order of members. */
function typeLast(value: unknown): object {
  const { attribute_type, ...members } = value as Readonly<Record<string, unknown>> // templates hold output values
  return { ...members, attribute_type }
}

function renderRelationship(model: DataModel, attribute: Attribute): AttributeOutput['relationship'] {
  const partner = otherSideOf(model, attribute)
  if (!partner) return null
  return {
    id: renderId(model, partner),
    object_slug: entityTypeOf(model, partner).api_slug,
    title: partner.title,
    api_slug: partner.api_slug,
    is_multiselect: partner.is_multiselect,
  }
}

/** Every type has the first two members. See docs/reference/objects-and-attributes.md (Attribute configuration). */
function renderConfig(attribute: Attribute): AttributeOutput['config'] {
  const { config } = attribute
  const allowed = config.record_reference?.allowed_object_ids && allowedObjectIds(attribute)
  return {
    currency: config.currency ?? { default_currency_code: null, display_type: null },
    record_reference: { allowed_object_ids: allowed ? [...allowed] : null },
    ...(config.number && { number: config.number }),
  }
}
