/**
 * Parses the `values` of a body to values by attribute: finds the attributes that the keys name, checks that they are
 * writable, checks the form of each value, and looks up the options, statuses, members and records that values name. See docs/reference/values.md (Writing values, The order of checks).
 */

import type { RecordLookup, Stored } from '#engine/attribute-types/define'
import { parseValue } from '#engine/attribute-types/definition/parse-value'
import { attributeType } from '#engine/attribute-types/registry'
import { closestSlug } from '#engine/data-model/access/hidden'
import {
  findAttribute,
  otherEntityTypeOf,
  refersToDeleted,
  requireWritable,
  visibleAttributes,
} from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType, DefaultValue } from '#engine/data-model/model'
import { InvalidValue, type ValidationIssue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { immutableValue, invalidAttributeValue, missingValue, unknownAttributeKey } from '#base/errors/records'
import type { Sql, Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import type { WriteTry } from './retry-on-conflict'
import { createRecordLookup } from '#engine/storage/read-entities'
import { enabledDefault } from '#engine/data-model/defaults'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

const MAX_VALUES = 1000

/** The parsed values of one attribute, before `resolve`. Without values, the write clears the attribute. */
interface ParsedAssignment {
  readonly attribute: Attribute
  readonly values: readonly unknown[]
}

/** The values that a write gives to one attribute. */
export interface Assignment {
  readonly attribute: Attribute
  readonly values: readonly Stored[]
}

export interface ParseContext {
  /** The member of the body that has the values, for paths. */
  readonly member: 'values' | 'entry_values'
  /** Whether the write appends to multiselects (PATCH) or overwrites them. */
  readonly appends: boolean
}

/** Parses a values map. The first failing step decides the error. Throws the catalogue's 400s. */
function parseValues(
  model: DataModel,
  entityType: EntityType,
  input: Readonly<Record<string, unknown>>,
  context: ParseContext,
): ParsedAssignment[] {
  const named = nameAttributes(model, entityType, input, context)
  for (const { attribute } of named) if (!attribute.is_writable) throw immutableValue(attribute.api_slug)
  return parseNamed(model, named, context)
}

interface NamedInput {
  readonly attribute: Attribute
  readonly key: string
  readonly raw: unknown
}

function nameAttributes(
  model: DataModel,
  entityType: EntityType,
  input: Readonly<Record<string, unknown>>,
  context: ParseContext,
): NamedInput[] {
  const visible = visibleAttributes(model, entityType)
  const seen = new Set<Attribute>()
  return Object.entries(input).map(([key, raw]) => {
    const attribute = findAttribute(entityType, key)
    if (!attribute || !(visible.includes(attribute) || attribute.stored_in === 'entity')) {
      throw unknownAttributeKey(key, closestSlug(key, visible))
    }
    if (seen.has(attribute)) {
      const message = `Attribute "${attribute.api_slug}" is named twice, by its slug and by its ID.`
      throw invalidBody([{ code: 'invalid', path: ['data', context.member, key], message }])
    }
    seen.add(attribute)
    return { attribute, key, raw }
  })
}

/** Parses the values of attributes that were found. */
function parseNamed(model: DataModel, named: readonly NamedInput[], context: ParseContext): ParsedAssignment[] {
  const issues: ValidationIssue[] = []
  const contained = named.map(({ attribute, key, raw }) => {
    const values = unpack(attribute, raw, context.appends)
    if (!Array.isArray(values)) issues.push({ ...values, path: ['data', context.member, key, ...values.path] })
    return { attribute, values: Array.isArray(values) ? values : [] }
  })
  if (issues.length > 0) throw invalidBody(issues)
  return contained.map(({ attribute, values }) => ({ attribute, values: parseEach(model, attribute, values) }))
}

/** Parses the elements of one attribute's value. Leaves out those that mean "no value". */
export function parseEach(model: DataModel, attribute: Attribute, raws: readonly unknown[]): unknown[] {
  try {
    return raws.map((raw) => parseValue(raw, attribute, model)).filter((parsed) => parsed !== undefined)
  } catch (error) {
    if (error instanceof InvalidValue) throw invalidAttributeValue(attribute.api_slug, error.issues)
    throw error
  }
}

/**
 * The elements of an attribute's value, or the issue of their container.
 * See docs/reference/values.md (Writing values, Clearing).
 */
function unpack(attribute: Attribute, raw: unknown, appends: boolean): unknown[] | ValidationIssue {
  if (raw === null) return unpackNull(attribute, appends)
  if (!Array.isArray(raw)) return attribute.is_multiselect ? wrongKind('array', raw) : [raw]
  const nullAt = raw.indexOf(null)
  if (nullAt >= 0) return { code: 'invalid', path: [nullAt], message: 'null cannot stand inside an array of values' }
  if (!attribute.is_multiselect && raw.length > 1) {
    return {
      code: 'too_big',
      path: [],
      message: 'This attribute takes one value',
      maximum: 1,
      inclusive: true,
      kind: 'array',
    }
  }
  if (raw.length > MAX_VALUES) {
    return {
      code: 'too_big',
      path: [],
      message: `At most ${MAX_VALUES} values`,
      maximum: MAX_VALUES,
      inclusive: true,
      kind: 'array',
    }
  }
  return raw
}

function unpackNull(attribute: Attribute, appends: boolean): unknown[] | ValidationIssue {
  if (attribute.is_multiselect) return appends ? wrongKind('array', null) : []
  return attributeType(attribute.type).allows.null ? [] : wrongKind(attribute.type, null)
}

function wrongKind(expected: string, raw: unknown): ValidationIssue {
  const received = raw === null ? 'null' : typeof raw
  return { code: 'invalid_type', path: [], expected, received, message: `Expected ${expected}, received ${received}` }
}

// Looks up the options, statuses, members and records that parsed values name.
// See docs/reference/values.md (The order of checks).

/** Converts parsed to stored values, in the order of the attributes. Throws the catalogue's 400s. */
async function resolveAssignments(
  model: DataModel,
  parsed: readonly ParsedAssignment[],
  lookup: RecordLookup,
): Promise<Assignment[]> {
  const assignments: Assignment[] = []
  for (const { attribute, values } of parsed) {
    const stored = resolveEach(model, attribute, values, lookup)
    assignments.push({ attribute, values: stored instanceof Promise ? await stored : stored })
  }
  return assignments
}

/** Converts the parsed values of one attribute to stored values. */
export function resolveEach(
  model: DataModel,
  attribute: Attribute,
  parsed: readonly unknown[],
  lookup: RecordLookup,
): readonly Stored[] | Promise<readonly Stored[]> {
  const { resolve } = attributeType(attribute.type)
  // Without `resolve`, parsing gives the stored form. Most attributes have none, so most writes wait for nothing.
  if (!resolve) return parsed as Stored[]
  return resolveInOrder(parsed, (value) => resolve(value, attribute, model, lookup))
}

async function resolveInOrder(
  parsed: readonly unknown[],
  resolve: (value: unknown) => Stored | Promise<Stored>,
): Promise<Stored[]> {
  const stored: Stored[] = []
  for (const value of parsed) stored.push(await resolve(value))
  return stored
}

// Makes assignments of the values of a body, of the default values of a new entity, and checks the values that an entity must have.
// See docs/reference/objects-and-attributes.md (Default values).

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

// The default values of a new entity, and the values that it must have.
// See docs/reference/objects-and-attributes.md (Default values).

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
  const assignments = [...given]
  for (const attribute of visibleAttributes(model, entityType)) {
    const default_value = enabledDefault(attribute)
    if (!default_value || attribute.stored_in === 'entity' || given.some((each) => each.attribute === attribute))
      continue
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
): Promise<readonly Stored[]> {
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
  for (const attribute of visibleAttributes(model, entityType)) {
    if (!attribute.is_required || attribute.stored_in === 'entity') continue
    const isFilled = assignments.some((each) => each.attribute === attribute && each.values.length > 0)
    if (!isFilled) throw missingValue(attribute.id)
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

// Refuses values that a member may not write. See docs/access.md (Access to objects).

/** Throws 403 for a relationship with records of an object that the member may only read, because both sides change. */
export function requireWritableSides(model: DataModel, assignments: readonly Pick<Assignment, 'attribute'>[]): void {
  if (model.loaded === undefined) return
  for (const { attribute } of assignments) {
    const other = otherEntityTypeOf(model, attribute)
    if (other !== undefined) requireWritable(other)
  }
}
