/**
 * Refuses attributes that their type or their entity type does not allow.
 * See docs/reference/objects-and-attributes.md (Attributes) and docs/reference/values.md (Types at a glance).
 */

import { isObject } from '#base/validation/shapes'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel, DefaultValue, EntityType } from '#engine/data-model/model'
import { RESTRICTED_OBJECTS } from '#engine/data-model/names'
import { ALLOWED_SETTINGS, TYPE_NAMES } from '#vocabulary/data-model'
import type { ValidationIssue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { slugConflict } from '#base/errors/attributes'
import { outputTemplate } from '#engine/attribute-types/definition/columns'
import { findTarget } from '#engine/attribute-types/formats/references'
import type { RequestContext } from '#context'
import { DURATION_PATTERN } from '#engine/data-model/find'
import type { ModelChange } from '#engine/data-model/change-model'
import { timestampFromMicros } from '#base/timing/clock'
import { createRecordLookup } from '#engine/storage/read-entities'
import { parseEach, resolveEach } from '#engine/entities/write/parse-values'
import type { DefaultValueInput } from './schemas'

const isRestricted = (entityType: EntityType): boolean =>
  entityType.kind === 'object' && RESTRICTED_OBJECTS.includes(entityType.standard_slug ?? '')

type Shape = Pick<Attribute, 'type' | 'is_unique' | 'is_multiselect'>

/** Refuses a new attribute that its type or its entity type does not allow. The error lists all problems. */
export function refuseShape(entityType: EntityType, shape: Shape): void {
  const { allows, notOn } = attributeType(shape.type)
  const issues = uniqueIssues(shape)
  if (!allows.create) issues.push(issue('type', `Attributes of type ${shape.type} cannot be created`))
  if (shape.is_multiselect && !allows.multiselect) {
    issues.push(issue('is_multiselect', `Attributes of type ${shape.type} hold one value`))
  }
  if (entityType.kind === 'object' && notOn?.includes(entityType.standard_slug ?? '')) {
    issues.push(issue('type', `${capitalised(shape.type)} attributes cannot be added to ${entityType.api_slug}`))
  }
  if (issues.length > 0) throw invalidBody(issues)
}

/** Refuses `is_unique` where the type does not allow it. */
export function refuseUnique(shape: Pick<Shape, 'type' | 'is_unique'>): void {
  const issues = uniqueIssues(shape)
  if (issues.length > 0) throw invalidBody(issues)
}

/** Refuses a default value on people and companies. See docs/reference/objects-and-attributes.md (Default values). */
function refuseDefault(entityType: EntityType): void {
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

/** Clients of the public API match on the first sentence. */
function uniqueIssues({ type, is_unique }: Pick<Shape, 'type' | 'is_unique'>): ValidationIssue[] {
  if (!is_unique || attributeType(type).allows.unique) return []
  return [issue('is_unique', `Cannot set attribute as unique. Types that can be unique: ${UNIQUE_TYPES.join(', ')}`)]
}

const UNIQUE_TYPES = TYPE_NAMES.filter((name) => ALLOWED_SETTINGS[name].unique)

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const issue = (member: string, message: string): ValidationIssue => ({
  code: 'invalid',
  path: ['data', member],
  message,
})

// Checks default values against their attribute. They are stored in the form in which they are shown.
// See docs/reference/objects-and-attributes.md (Default values).

/** Returns the default value to store; null for a template without values. Throws 400. */
export async function parseDefault(
  context: RequestContext,
  { tx, model }: ModelChange,
  entityType: EntityType,
  attribute: Attribute,
  input: DefaultValueInput,
): Promise<DefaultValue | null> {
  if (input === null) return null
  refuseDefault(entityType)
  if (input.type === 'dynamic') {
    refuseTemplate(context, attribute, input.template)
    return input
  }
  if (input.template.length > 1 && !attribute.is_multiselect) throw invalidTemplate('This attribute takes one value')
  refuseUnknownTargets(model, attribute, input.template)
  const parsed = parseEach(model, attribute, input.template)
  const values = await resolveEach(model, attribute, parsed, createRecordLookup(tx, model))
  if (values.length === 0) return null
  return { type: 'static', template: values.map((stored) => outputTemplate(attribute, model, stored)) }
}

/** Throws `invalid_value` for unknown objects, for which a value of a record throws `value_not_found`. See docs/reference/errors-and-limits.md (Codes). */
function refuseUnknownTargets(model: DataModel, { type }: Attribute, template: readonly unknown[]): void {
  if (!attributeType(type).refersToRecords) return
  for (const value of template) {
    const target = isObject(value) ? value.target_object : undefined
    if (typeof target === 'string' && !findTarget(model, target))
      throw invalidTemplate(`Cannot find object with slug/ID "${target}"`)
  }
}

function refuseTemplate(context: RequestContext, { type }: Attribute, template: string): void {
  const { dynamicDefault } = attributeType(type)
  if (dynamicDefault === 'actor') {
    if (template !== 'current-user') throw invalidTemplate(`The dynamic default of this type is 'current-user'`)
    return
  }
  if (dynamicDefault !== 'time') throw invalidTemplate(`Attributes of type ${type} have no dynamic default`)
  if (!isDuration(template)) throw invalidTemplate('Expected an ISO 8601 duration such as P1M')
  if (!isWithinTime(context, template)) throw invalidTemplate('This duration leads beyond the year 9999')
}

/** The pattern allows a fraction in every unit, but only the smallest unit may have one. */
function isDuration(text: string): boolean {
  // oxlint-disable-next-line relata/no-super-linear-regexp -- the linter checks the pattern where it stands
  if (!new RegExp(DURATION_PATTERN).test(text)) return false
  try {
    Temporal.Duration.from(text)
    return true
  } catch {
    return false
  }
}

function isWithinTime(context: RequestContext, duration: string): boolean {
  try {
    const now = Temporal.Instant.from(timestampFromMicros(context.now())).toZonedDateTimeISO('UTC')
    return now.add(duration).year <= 9999
  } catch {
    return false
  }
}

const invalidTemplate = (message: string) =>
  invalidBody([{ code: 'invalid', path: ['data', 'default_value', 'template'], message }])
