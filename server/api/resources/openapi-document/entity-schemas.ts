/**
 * The components of one object or list: its values when an entity is created, when it is changed, and in responses.
 * See docs/reference/openapi-of-the-workspace.md (Schemas).
 */

import { visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import type { ValuesKind } from '#engine/entities/read/schemas'
import { inputSchema, outputSchema, type Schema } from './value-schemas'

const SUFFIXES: Readonly<Record<ValuesKind, string>> = { create: 'create', input: 'input', output: 'values' }

/** The name of a component, for example `people_record_create` or `sales_entry_values`. */
export const componentName = ({ kind, api_slug }: EntityType, values: ValuesKind): string =>
  `${api_slug}_${kind === 'object' ? 'record' : 'entry'}_${SUFFIXES[values]}`

/** The three components of an entity type, by name. */
export function entitySchemas(model: DataModel, entityType: EntityType): Readonly<Record<string, Schema>> {
  const attributes = visibleAttributes(model, entityType)
  const writable = attributes.filter(({ is_writable }) => is_writable)
  const input = componentName(entityType, 'input')
  const required = writable.filter(needsValue).map(({ api_slug }) => api_slug)
  return {
    [input]: {
      type: 'object',
      description: 'Keys are slugs; ids of attributes are accepted as well.',
      properties: propertiesBySlug(writable, (attribute) => inputSchema(model, attribute)),
    },
    [componentName(entityType, 'create')]: {
      allOf: [{ $ref: `#/components/schemas/${input}` }],
      type: 'object',
      required,
    },
    [componentName(entityType, 'output')]: {
      type: 'object',
      properties: propertiesBySlug(attributes, (attribute) => outputSchema(model, attribute)),
    },
  }
}

/** Whether a new entity must be given a value. */
const needsValue = ({ is_required, is_default_value_enabled, default_value }: Attribute): boolean =>
  is_required && !(is_default_value_enabled && default_value !== null)

const propertiesBySlug = (attributes: readonly Attribute[], schemaOf: (attribute: Attribute) => Schema): Schema =>
  Object.fromEntries(attributes.map((attribute) => [attribute.api_slug, schemaOf(attribute)]))
