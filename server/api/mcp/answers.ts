/** Shortens resources for assistants. See docs/reference/assistants.md (Answers). */

import { attributeType } from '#engine/attribute-types/registry'
import {
  allowedObjectIds,
  findAttribute,
  recordTypes,
  slugOfEntityType,
  visibleAttributes,
} from '#engine/data-model/find'
import { type Attribute, type DataModel, type EntityType, hasRecords } from '#engine/data-model/model'

type Resource = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The resource without null members, with its own id in place of the object of ids. */
export function flatten(resource: Resource): Record<string, unknown> {
  const { id, ...members } = resource
  return { ...(id === undefined ? {} : { id: ownId(id) }), ...withoutNulls(members) }
}

/** The last member is the id of the resource itself; those before it are of the workspace and of what it belongs to. */
const ownId = (id: unknown): unknown => (isObject(id) ? Object.values(id).at(-1) : id)

const withoutNulls = (resource: Resource): Record<string, unknown> =>
  Object.fromEntries(Object.entries(resource).filter(([, value]) => value !== null && !isEmptyArray(value)))

const isEmptyArray = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/**
 * Renders values for assistants in few words: an email address as text, an option as its title. Short forms of writes have
 * the same form. See docs/reference/assistants.md (Answers).
 */
type Value = Readonly<Record<string, unknown>>
export type RenderedValues = Readonly<Record<string, readonly Value[]>>

/** These repeat the id of the record or the entry. */
const REPEATED = ['record_id', 'entry_id', 'parent_record_id']

/** Attributes without a value are left out. */
export const compactValues = (entityType: EntityType, values: RenderedValues): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([slug, each]) => {
      const attribute = findAttribute(entityType, slug)
      if (attribute === undefined || each.length === 0 || REPEATED.includes(slug)) return []
      const compact = each.map((value) => compactValue(attribute, value))
      return [[slug, attribute.is_multiselect ? compact : compact[0]]]
    }),
  )

function compactValue(attribute: Attribute, value: Value): unknown {
  const { sql, nameMember } = attributeType(attribute.type)
  if (nameMember !== undefined) return value[nameMember]
  switch (sql.form) {
    case 'scalar':
      return withoutZeroFraction(value[sql.column])
    case 'option':
      return (value[sql.column] as { title: string }).title // as in the output of types with options
    case 'reference':
      return allowedObjectIds(attribute).length === 1
        ? value[sql.record]
        : { target_object: value[sql.object], target_record_id: value[sql.record] }
    case 'actor':
      return value.referenced_actor_id ?? value.referenced_actor_type
    default:
      return withoutNulls(withoutMetadata(value))
  }
}

/** `2026-01-02T03:04:05.000000000Z` without its fraction. */
const withoutZeroFraction = (value: unknown): unknown =>
  typeof value === 'string' && value.length === 30 ? value.replace(/\.000000000Z$/, 'Z') : value

/** What the values of all types have. */
const METADATA = ['active_from', 'active_until', 'created_by_actor', 'attribute_type']

const withoutMetadata = (value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([member]) => !METADATA.includes(member)))

// Describes the data model as text, in few words. See docs/reference/assistants.md (Data model).

/** Further options are left out; their number is shown. */
const MAX_OPTIONS = 50

/** A line for each object and list. */
export const describeEntityTypes = (model: DataModel, entityTypes: readonly EntityType[]): string =>
  entityTypes.map((entityType) => headingOf(model, entityType)).join('\n')

/** The attributes of an object or a list, a line for each, and the operators of their types. */
export function describeEntityType(model: DataModel, entityType: EntityType): string {
  const attributes = visibleAttributes(model, entityType)
  const types = [...new Set(attributes.map(({ type }) => type))]
  return [
    headingOf(model, entityType),
    ...attributes.map((attribute) => describeAttribute(model, attribute)),
    '',
    'Fields of filters, by type:',
    ...types.map((type) => `- ${type}: ${describeFields(type)}`),
  ].join('\n')
}

function headingOf(model: DataModel, entityType: EntityType): string {
  if (hasRecords(entityType)) return `${entityType.kind} ${entityType.api_slug} (${entityType.plural_noun})`
  const parents = entityType.parentObjects.map(({ id }) => slugOfEntityType(model, id))
  return `list ${entityType.api_slug} (${entityType.name}), entries are records of ${parents.join(' or ')}`
}

function describeAttribute(model: DataModel, attribute: Attribute): string {
  const { api_slug, title, type, is_required, is_unique, is_multiselect, is_writable, description } = attribute
  const properties = [
    type,
    ...(is_multiselect ? ['several values'] : []),
    ...(is_required ? ['required'] : []),
    ...(is_unique ? ['unique'] : []),
    ...(is_writable ? [] : ['read-only']),
    ...targetsOf(model, attribute),
    ...optionsOf(attribute),
  ]
  const words = description === null || description === '' ? title : `${title}. ${description}`
  return `- ${api_slug} (${properties.join(', ')}): ${words}`
}

function targetsOf(model: DataModel, attribute: Attribute): string[] {
  if (attributeType(attribute.type).refersToRecords !== true) return []
  const allowed = allowedObjectIds(attribute)
  const targets = recordTypes(model).filter(({ id }) => allowed.includes(id))
  return [`of ${targets.length === 0 ? 'any object' : targets.map(({ api_slug }) => api_slug).join(' or ')}`]
}

function optionsOf({ options }: Attribute): string[] {
  const titles = options.filter(({ is_archived }) => !is_archived).map(({ title }) => JSON.stringify(title))
  if (titles.length === 0) return []
  const more = titles.length > MAX_OPTIONS ? ` and ${titles.length - MAX_OPTIONS} more` : ''
  return [`one of ${titles.slice(0, MAX_OPTIONS).join(' ')}${more}`]
}

/** The fields with their operators. The default field is the first. */
function describeFields(type: Attribute['type']): string {
  const { properties, defaultProperty } = attributeType(type)
  const names = Object.keys(properties).toSorted(
    (a, b) => Number(b === defaultProperty) - Number(a === defaultProperty),
  )
  return names.map((name) => `${name} ${properties[name]?.operators.join(' ') ?? ''}`).join('; ')
}
