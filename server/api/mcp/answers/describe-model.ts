/** Describes the data model as text, in few words. See docs/reference/assistants.md (Data model). */

import { attributeType } from '#engine/attribute-types/registry'
import { allowedObjectIds, enabledObjects, visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'

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
  if (entityType.kind === 'object') return `object ${entityType.api_slug} (${entityType.plural_noun})`
  const parent = model.entityTypesById.get(entityType.parent_object_id)?.api_slug
  return `list ${entityType.api_slug} (${entityType.name}), entries are records of ${parent}`
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
  const targets = enabledObjects(model).filter(({ id }) => allowed.includes(id))
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
