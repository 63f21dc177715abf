/**
 * The schemas of the values of one attribute, in requests and in responses.
 * See docs/reference/openapi-of-the-workspace.md (Values).
 */

import type { TSchema } from 'typebox'
import type { AttributeType } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { Value } from '#engine/entities/read/schemas'
import { possibleTargets } from '#engine/query/compile/references'

/** JSON Schema, as it stands in the document. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The schema of what a write can give to an attribute: a value, several, or null. */
export function inputSchema(model: DataModel, attribute: Attribute): JsonSchema {
  const type = attributeType(attribute.type)
  const value = inputOfOne(model, attribute, type)
  const several = { type: 'array', items: value, ...(attribute.is_multiselect ? {} : { maxItems: 1 }) }
  const isNullable = type.allows.null && !attribute.is_required
  return { ...describe(attribute), anyOf: [value, several, ...(isNullable ? [{ type: 'null' }] : [])] }
}

/** The schema of the values of an attribute in a response: an array, of which all but multiselects have one element at most. */
export function outputSchema(model: DataModel, attribute: Attribute): JsonSchema {
  const type = attributeType(attribute.type)
  const { properties, required } = propertiesOf(Value)
  const own = propertiesOf(narrowOutput(model, attribute, type))
  const items = {
    type: 'object',
    properties: { ...properties, attribute_type: { const: attribute.type }, ...own.properties },
    required: [...required, ...own.required],
  }
  return { ...describe(attribute), type: 'array', items, ...(attribute.is_multiselect ? {} : { maxItems: 1 }) }
}

const describe = ({ title, description }: Attribute): JsonSchema => ({
  title,
  ...(description === null ? {} : { description }),
})

/** The short and the full form of one value. */
function inputOfOne(model: DataModel, attribute: Attribute, { sql, input, shortForm }: AttributeType): JsonSchema {
  if (sql.form === 'option') {
    const titles = titlesOf(attribute, false)
    return anyOf([titles, { type: 'object', properties: { [sql.column]: titles }, required: [sql.column] }])
  }
  if (sql.form === 'reference') return withEnum(input, sql.object, targetSlugs(model, attribute))
  return shortForm === undefined ? asSchema(input) : anyOf([asSchema(shortForm), asSchema(input)])
}

function narrowOutput(model: DataModel, attribute: Attribute, { sql, output }: AttributeType): JsonSchema {
  if (sql.form === 'option') {
    const { properties } = propertiesOf(asSchema(output))
    const option = asSchema(properties[sql.column])
    const narrowed = { ...option, properties: { ...propertiesOf(option).properties, title: titlesOf(attribute, true) } }
    return { ...asSchema(output), properties: { ...properties, [sql.column]: narrowed } }
  }
  if (sql.form === 'reference') return withEnum(output, sql.object, targetSlugs(model, attribute))
  return asSchema(output)
}

/** Ids of options are accepted as well, and are left out so that the titles remain. */
function titlesOf({ options }: Attribute, withArchived: boolean): JsonSchema {
  const titles = options.filter(({ is_archived }) => withArchived || !is_archived).map(({ title }) => title)
  return titles.length === 0 ? { type: 'string' } : { type: 'string', enum: [...new Set(titles)] }
}

/** The slugs of the objects and activities to whose records the attribute can refer. */
function targetSlugs(model: DataModel, attribute: Attribute): readonly string[] {
  return possibleTargets(model, attribute).map(({ api_slug }) => api_slug)
}

/** The schema with these values for one of its properties, or for that of its alternatives. */
function withEnum(schema: TSchema | JsonSchema, property: string, values: readonly string[]): JsonSchema {
  const { anyOf: alternatives, properties } = asSchema(schema) as { anyOf?: JsonSchema[]; properties?: JsonSchema } // JSON Schema's own members
  if (alternatives) return { ...schema, anyOf: alternatives.map((each) => withEnum(each, property, values)) }
  if (properties?.[property] === undefined) return asSchema(schema)
  return { ...schema, properties: { ...properties, [property]: { type: 'string', enum: values } } }
}

const anyOf = (schemas: readonly JsonSchema[]): JsonSchema => ({ anyOf: schemas })

const asSchema = (schema: unknown): JsonSchema => schema as JsonSchema // every TypeBox schema is JSON Schema

function propertiesOf(schema: TSchema | JsonSchema): { properties: JsonSchema; required: readonly string[] } {
  const { properties = {}, required = [] } = schema as { properties?: JsonSchema; required?: string[] } // JSON Schema's own members
  return { properties, required }
}
