/**
 * Makes assignments of the values of a body, of the default values of a new entity, and checks the values that an entity must have.
 * See docs/reference/objects-and-attributes.md (Default values).
 */

import type { Sql, Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import { findAttribute, refersToDeleted, visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, DefaultValue, EntityType } from '#engine/data-model/model'
import type { WriteTry } from './retry-on-conflict'
import { createRecordLookup } from '#engine/storage/find-records'
import {
  type Assignment,
  type ParseContext,
  parseEach,
  parseValues,
  resolveAssignments,
  resolveEach,
} from './parse-values'
import type { RecordLookup, Stored } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { enabledDefault } from '#engine/data-model/defaults'
import { missingValue } from '#base/errors/records'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

/**
 * Parses the values of a body and looks up what they name. Throws the catalogue's 400s.
 * See docs/reference/values.md (The order of checks).
 */
export function readAssignments(
  { model, db }: RequestContext,
  entityType: EntityType,
  values: Readonly<Record<string, unknown>>,
  context: ParseContext,
  { assumeExists }: WriteTry,
  within: Sql | Transaction = db.sql,
): Promise<Assignment[]> {
  return resolveAssignments(
    model,
    parseValues(model, entityType, values, context),
    createRecordLookup(within, model, assumeExists),
  )
}

/** The attributes that a body names, even if the body is invalid. */
export const attributesNamed = (entityType: EntityType, values: Readonly<Record<string, unknown>>): Attribute[] =>
  Object.keys(values).flatMap((key) => findAttribute(entityType, key) ?? [])

/** Completes the assignments of a new entity with default values. Throws 400 for a required attribute without a value. */
export async function completeAssignments(
  context: RequestContext,
  entityType: EntityType,
  given: readonly Assignment[],
  { assumeExists }: WriteTry,
): Promise<Assignment[]> {
  const { model, actor, db } = context
  const creator = { actor, now: context.now() }
  const assignments = await withDefaults(
    model,
    entityType,
    given,
    creator,
    createRecordLookup(db.sql, model, assumeExists),
  )
  requireAll(model, entityType, assignments)
  return assignments
}

/** The given assignments, and the others of attributes that have no given one. */
export function mergeAssignments(given: readonly Assignment[], others: readonly Assignment[]): Assignment[] {
  const named = new Set(given.map(({ attribute }) => attribute))
  return [...given, ...others.filter(({ attribute }) => !named.has(attribute))]
}

/**
 * The default values of a new entity, and the values that it must have.
 * See docs/reference/objects-and-attributes.md (Default values).
 */
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
  if (type === 'static') {
    const present = template.filter((value) => !refersToDeleted(model, value))
    return resolveEach(model, attribute, parseEach(model, attribute, present), lookup)
  }
  if (attributeType(attribute.type).dynamicDefault === 'actor') return [{ actor: creator.actor }]
  const moment = Temporal.Instant.from(timestampFromMicros(creator.now)).toZonedDateTimeISO('UTC').add(template)
  return resolveEach(model, attribute, parseEach(model, attribute, [moment.toInstant().toString()]), lookup)
}

/** Refuses a new entity that lacks a required value. See docs/reference/values.md (The order of checks). */
function requireAll(model: DataModel, entityType: EntityType, assignments: readonly Assignment[]): void {
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
