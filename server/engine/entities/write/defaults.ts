/**
 * The default values of a new entity, and the values that it must have.
 * See docs/reference/objects-and-attributes.md (Default values).
 */

import type { RecordLookup, Stored } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { enabledDefault } from '#engine/data-model/defaults'
import { visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, DefaultValue, EntityType } from '#engine/data-model/model'
import { missingValue } from '#base/errors/records'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { type Assignment, parseEach } from './parse-values'
import { resolveEach } from './resolve-values'

interface Creator {
  readonly actor: number
  readonly now: Micros
}

/** The given assignments, then the default values of the attributes that they do not name. */
export async function withDefaults(
  model: DataModel,
  entityType: EntityType,
  given: readonly Assignment[],
  creator: Creator,
  lookup: RecordLookup,
): Promise<Assignment[]> {
  const named = new Set(given.map(({ attribute }) => attribute))
  const assignments = [...given]
  for (const attribute of visibleAttributes(model, entityType)) {
    const default_value = enabledDefault(attribute)
    if (!default_value || attribute.stored_in === 'entity' || named.has(attribute)) continue
    const values = await defaultValues(model, attribute, default_value, creator, lookup)
    assignments.push({ attribute, values })
  }
  return assignments
}

/** A default value may refer to a record that the creator does not see. */
async function defaultValues(
  given: DataModel,
  own: Attribute,
  { type, template }: DefaultValue,
  creator: Creator,
  lookup: RecordLookup,
): Promise<Stored[]> {
  const model = given.loaded ?? given
  const attribute = model.attributesById.get(own.id) ?? own
  if (type === 'static') return resolveEach(model, attribute, parseEach(model, attribute, template), lookup)
  if (attributeType(attribute.type).dynamicDefault === 'actor') return [{ actor: creator.actor }]
  const moment = Temporal.Instant.from(timestampFromMicros(creator.now)).toZonedDateTimeISO('UTC').add(template)
  return resolveEach(model, attribute, parseEach(model, attribute, [moment.toInstant().toString()]), lookup)
}

/** Refuses a new entity that lacks a required value. See docs/reference/values.md (The order of checks). */
export function requireAll(model: DataModel, entityType: EntityType, assignments: readonly Assignment[]): void {
  const filled = new Set(assignments.filter(({ values }) => values.length > 0).map(({ attribute }) => attribute))
  for (const attribute of visibleAttributes(model, entityType)) {
    if (attribute.is_required && attribute.stored_in !== 'entity' && !filled.has(attribute))
      throw missingValue(attribute.id)
  }
}

/** Refuses a write that empties a required attribute. `remaining` returns whether an attribute has values after the write. */
export function requireTouched(
  assignments: readonly Assignment[],
  remaining: (assignment: Assignment) => boolean,
): void {
  for (const assignment of assignments) {
    if (assignment.attribute.is_required && !remaining(assignment)) throw missingValue(assignment.attribute.id)
  }
}
