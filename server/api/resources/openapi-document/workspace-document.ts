/**
 * The OpenAPI document of a workspace: the public document, in which the operations on records and entries have a path for
 * each object, list and activity. See docs/reference/openapi-of-the-workspace.md (Paths).
 */

import { visibleLists } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { activityTypes, enabledObjects, visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { Value, VALUES_MARKER, type ValuesKind } from '#engine/entities/read/schemas'
import { includesScope } from '#vocabulary/scopes'
import type { TSchema } from 'typebox'
import type { AttributeType } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { possibleTargets } from '#engine/query/compile/references'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema?: object
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
}

type PathItem = Readonly<Record<string, Operation>>

/** The parts of the public document that differ in the document of a workspace. */
export interface OpenApiDocument {
  readonly info: Readonly<Record<string, unknown>>
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: Readonly<Record<string, object>> & { readonly schemas: Readonly<Record<string, object>> }
}

const PARAMETER = {
  object: '/v2/objects/{object}/records',
  list: '/v2/lists/{list}/entries',
  activity: '/v2/activities/{activity}/records',
} as const satisfies Record<EntityType['kind'], string>

/** Lists and activities need scopes of their own, and lists access. */
export function makeWorkspaceDocument(context: RequestContext, document: OpenApiDocument): OpenApiDocument {
  const { model, scopes } = context
  const lists = includesScope(scopes, 'list_configuration:read') ? visibleLists(context) : []
  const activities = includesScope(scopes, 'activity_configuration:read') ? activityTypes(model) : []
  const entityTypes = [...enabledObjects(model), ...lists, ...activities]
  const paths = Object.entries(document.paths).flatMap(([path, item]) => {
    const kind = kindOf(path)
    if (kind === undefined) return [[path, item] as const]
    return entityTypes
      .filter((entityType) => entityType.kind === kind)
      .map(
        (entityType) => [path.replace(`{${kind}}`, entityType.api_slug), narrowPath(item, model, entityType)] as const,
      )
  })
  const schemas = Object.assign({}, ...entityTypes.map((each) => entitySchemas(model, each)))
  return {
    ...document,
    info: { ...document.info, title: `Relata: ${model.workspace.name}` },
    paths: Object.fromEntries(paths),
    components: { ...document.components, schemas: { ...document.components.schemas, ...schemas } },
  }
}

/** The kind of entity type whose slug the path has; undefined for other paths. */
const kindOf = (path: string): EntityType['kind'] | undefined => KINDS.find((kind) => path.startsWith(PARAMETER[kind]))

const KINDS = ['object', 'list', 'activity'] as const

/** The operations of a path with the schemas of one object or list. */
function narrowPath(item: PathItem, model: DataModel, entityType: EntityType): PathItem {
  const name = entityType.kind === 'list' ? entityType.name : entityType.plural_noun
  const operations = Object.entries(item).map(([method, operation]) => {
    const { parameters = [], ...rest } = narrowSchemas(operation, entityType)
    const narrowed = {
      ...rest,
      operationId: `${operation.operationId}_${entityType.api_slug}`,
      summary: `${operation.summary}: ${name}`,
      parameters: parameters
        .filter((parameter) => parameter.in !== 'path' || parameter.name !== entityType.kind)
        .map((parameter) => narrowParameter(parameter, model, entityType)),
    }
    return [method, narrowed] as const
  })
  return Object.fromEntries(operations)
}

/** Replaces schemas of values by references to the components. Examples are left out, because they are of other objects. */
const narrowSchemas = (operation: Operation, entityType: EntityType): Operation =>
  JSON.parse(JSON.stringify(operation), (key, value: unknown) => {
    if (key === 'example') return undefined
    const kind =
      typeof value === 'object' && value !== null && VALUES_MARKER in value ? value[VALUES_MARKER] : undefined
    if (kind === undefined) return value
    return { $ref: `#/components/schemas/${componentName(entityType, kind as ValuesKind)}` } // the marker has no other values
  }) as Operation // the same structure

function narrowParameter(parameter: Parameter, model: DataModel, entityType: EntityType): Parameter {
  const attributes = visibleAttributes(model, entityType)
  if (parameter.in === 'path' && parameter.name === 'attribute') return withSlugs(parameter, attributes)
  if (parameter.name !== 'matching_attribute') return parameter
  return withSlugs(
    parameter,
    attributes.filter(({ is_unique }) => is_unique),
  )
}

const withSlugs = (parameter: Parameter, attributes: readonly { readonly api_slug: string }[]): Parameter =>
  attributes.length === 0
    ? parameter
    : { ...parameter, schema: { type: 'string', enum: attributes.map(({ api_slug }) => api_slug) } }

/**
 * The components of one object or list: its values when an entity is created, when it is changed, and in responses.
 * See docs/reference/openapi-of-the-workspace.md (Schemas).
 */
const SUFFIXES: Readonly<Record<ValuesKind, string>> = { create: 'create', input: 'input', output: 'values' }

/** The name of a component, for example `people_record_create` or `sales_entry_values`. */
const componentName = ({ kind, api_slug }: EntityType, values: ValuesKind): string =>
  `${api_slug}_${kind === 'list' ? 'entry' : 'record'}_${SUFFIXES[values]}`

/** The three components of an entity type, by name. */
function entitySchemas(model: DataModel, entityType: EntityType): Readonly<Record<string, JsonSchema>> {
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

const propertiesBySlug = (
  attributes: readonly Attribute[],
  schemaOf: (attribute: Attribute) => JsonSchema,
): JsonSchema => Object.fromEntries(attributes.map((attribute) => [attribute.api_slug, schemaOf(attribute)]))

// The schemas of the values of one attribute, in requests and in responses. See docs/reference/openapi-of-the-workspace.md (Values).

/** JSON Schema, as it stands in the document. */
type JsonSchema = Readonly<Record<string, unknown>>

/** The schema of what a write can give to an attribute: a value, several, or null. */
function inputSchema(model: DataModel, attribute: Attribute): JsonSchema {
  const type = attributeType(attribute.type)
  const value = inputOfOne(model, attribute, type)
  const several = { type: 'array', items: value, ...(attribute.is_multiselect ? {} : { maxItems: 1 }) }
  const isNullable = type.allows.null && !attribute.is_required
  return { ...describe(attribute), anyOf: [value, several, ...(isNullable ? [{ type: 'null' }] : [])] }
}

/** The schema of the values of an attribute in a response: an array, of which all but multiselects have one element at most. */
function outputSchema(model: DataModel, attribute: Attribute): JsonSchema {
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
