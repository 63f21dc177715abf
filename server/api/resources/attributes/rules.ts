/**
 * Refuses attributes that their type or their entity type does not allow.
 * See docs/reference/objects-and-attributes.md (Attributes) and docs/reference/values.md (Types at a glance).
 */

import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { RESTRICTED_OBJECTS } from '#engine/data-model/standard-slugs'
import type { ValidationIssue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { slugConflict } from '#base/errors/objects'

const isRestricted = (entityType: EntityType): boolean =>
  entityType.kind === 'object' && RESTRICTED_OBJECTS.includes(entityType.standard_slug ?? '')

type Shape = Pick<Attribute, 'type' | 'is_unique' | 'is_multiselect'>

/** Refuses a new attribute that its type or its entity type does not allow. The error lists all problems. */
export function refuseShape(entityType: EntityType, shape: Shape): void {
  const { allows, notOn } = attributeType(shape.type)
  const issues = [...uniqueIssues(entityType, shape)]
  if (!allows.create) issues.push(issue('type', `Attributes of type ${shape.type} cannot be created`))
  if (shape.is_multiselect && !allows.multiselect) {
    issues.push(issue('is_multiselect', `Attributes of type ${shape.type} hold one value`))
  }
  if (entityType.kind === 'object' && notOn?.includes(entityType.standard_slug ?? '')) {
    issues.push(issue('type', `${capitalised(shape.type)} attributes cannot be added to ${entityType.api_slug}`))
  }
  if (issues.length > 0) throw invalidBody(issues)
}

/** Refuses `is_unique` where the type or the entity type does not allow it. */
export function refuseUnique(entityType: EntityType, shape: Pick<Shape, 'type' | 'is_unique'>): void {
  const issues = uniqueIssues(entityType, shape)
  if (issues.length > 0) throw invalidBody(issues)
}

/** Refuses a default value on people and companies. See docs/reference/objects-and-attributes.md (Default values). */
export function refuseDefault(entityType: EntityType): void {
  if (!isRestricted(entityType)) return
  throw invalidBody([issue('default_value', `Attributes of ${entityType.api_slug} cannot have default values`)])
}

/** Refuses a required attribute with a disabled default value. See docs/reference/objects-and-attributes.md (Default values). */
export function refuseDisabledDefault(isRequired: boolean, isEnabled: boolean | undefined): void {
  if (!isRequired || isEnabled !== false) return
  throw invalidBody([issue('is_default_value_enabled', 'Must be true when is_required is true')])
}

/** Refuses a slug that another attribute of the entity type has, also an archived one. */
export function refuseTakenSlug(entityType: EntityType, api_slug: string, self?: Attribute): void {
  const taken = entityType.attributes.some(
    (other) => other.api_slug === api_slug && other.number > 0 && other.id !== self?.id,
  )
  if (taken) throw attributeSlugConflict(entityType, api_slug)
}

export const attributeSlugConflict = (entityType: EntityType, api_slug: string) =>
  slugConflict(`attribute of ${entityType.kind} "${entityType.api_slug}"`, api_slug)

function uniqueIssues(
  entityType: EntityType,
  { type, is_unique }: Pick<Shape, 'type' | 'is_unique'>,
): ValidationIssue[] {
  if (!is_unique) return []
  if (isRestricted(entityType)) return [issue('is_unique', 'Cannot set attribute as unique.')]
  if (attributeType(type).allows.unique) return []
  return [issue('is_unique', `Cannot set attribute as unique. Values of type ${type} are never unique`)]
}

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const issue = (member: string, message: string): ValidationIssue => ({
  code: 'invalid',
  path: ['data', member],
  message,
})
