/** Writes the active and ended values of one attribute of one entity. See docs/reference/values.md (History). */

import type { Sql, Transaction } from '#db/connect'
import { parseInstant } from '#engine/attribute-types/formats/instants'
import { attributeType } from '#engine/attribute-types/registry'
import type { RequestContext } from '#context'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { invalidValue, InvalidValue } from '#base/errors/api-error'
import { invalidBody, invalidRequest } from '#base/errors/http'
import { immutableValue, missingValue } from '#base/errors/records'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { deleteHistory, insertHistory, readAllValues, type ValueWithEnd } from '#engine/storage/history'
import { getVisibleAttribute } from './list-values'
import { createRecordLookup, lockEntities, type StoredEntity } from '#engine/storage/read-entities'
import { parseEach, resolveEach } from '#engine/entities/write/parse-values'
import { compileValues } from '#engine/entities/read/render'
import { referenceTargetsOf } from '#engine/storage/preconditions'
import { storedIn } from '#engine/storage/provenance'
import { changeEntity } from '#engine/storage/statements/update-entities'

/** A value with its period, as sent: the value under `value` in any form, or its members beside the times. */
export interface DatedValueInput {
  readonly active_from: string
  readonly active_until: string | null
  readonly [member: string]: unknown
}

/**
 * Replaces the whole history of the attribute and returns the stored values, oldest first, as the JSON text of an answer;
 * undefined if the entity does not exist. Throws 404 for the attribute, 400 for intervals, values, and attributes whose
 * history is not writable, and conflicts for `retryOnConflict`.
 */
export async function writeValues(
  context: RequestContext,
  entityType: EntityType,
  id: string,
  attributeName: string,
  inputs: readonly DatedValueInput[],
): Promise<string | undefined> {
  const { model } = context
  const attribute = getVisibleAttribute(model, entityType, attributeName)
  requireWritableHistory(attribute)
  const intervals = inputs.map(parseInterval)
  requireConsistent(attribute, intervals)
  const found = await replaceHistory(context, entityType, attribute, id, (tx) =>
    resolveValues(context, tx, attribute, inputs, intervals),
  )
  if (!found) return undefined
  const datedValues = (await readAllValues(context.db.sql, model, entityType, attribute, id)) ?? []
  return `{"data":${compileValues(attribute, model)(datedValues)}}`
}

function requireWritableHistory(attribute: Attribute): void {
  if (!attribute.is_writable) throw immutableValue(attribute.api_slug)
  if (attribute.relationship_attribute_id !== null) {
    throw invalidRequest(`The history of relationship attribute "${attribute.api_slug}" cannot be written.`)
  }
  if (!attribute.has_history) throw invalidRequest(`Attribute "${attribute.api_slug}" keeps no history.`)
}

/** Instants have microseconds, and must be exact as a number of them. */
function parseInterval({ active_from, active_until }: DatedValueInput, index: number): Interval {
  const instant = (member: string, raw: string) => {
    try {
      return microsOf(raw)
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      throw invalidBody(error.issues.map((issue) => ({ ...issue, path: ['data', 'values', index, member] })))
    }
  }
  return {
    active_from: instant('active_from', active_from),
    active_until: active_until === null ? null : instant('active_until', active_until),
  }
}

function microsOf(raw: string): Micros {
  const micros = microsFromPostgres(parseInstant(raw).value)
  if (!Number.isSafeInteger(micros)) throw invalidValue('Timestamps of values lie between the years 1700 and 2200')
  return micros
}

async function resolveValues(
  { model, actor }: RequestContext,
  db: Sql | Transaction,
  attribute: Attribute,
  inputs: readonly DatedValueInput[],
  intervals: readonly Interval[],
): Promise<ValueWithEnd[]> {
  const parsed = parseEach(
    model,
    attribute,
    inputs.map((input) => rawValue(attribute, input)),
  )
  if (parsed.length < inputs.length) throw missingValue(attribute.id)
  const values = await resolveEach(model, attribute, parsed, createRecordLookup(db, model))
  if (attribute.is_required && intervals.every(({ active_until }) => active_until !== null))
    throw missingValue(attribute.id)
  return values.flatMap((stored, index) => {
    const interval = intervals[index]
    return interval ? [{ ...interval, stored, actor, writtenFromOtherSide: false }] : []
  })
}

/** The value under `value` or, if the request has the members of the full form instead, those members. */
function rawValue(attribute: Attribute, input: DatedValueInput): unknown {
  const { active_from: _from, active_until: _until, ...members } = input
  const hasOwnValue = Object.hasOwn(attributeType(attribute.type).columns, 'value')
  return 'value' in members || hasOwnValue ? members.value : members
}

// Replaces the active and ended values of one attribute of one entity. See docs/reference/values.md (History).

/**
 * Makes the decided values the history and the active values of an attribute: those with an end become history, the
 * others its active values in their order. There are no change events. Returns false if the entity does not exist.
 * Throws `VersionConflict` and `UniqueKeyConflict`.
 */
async function replaceHistory(
  context: RequestContext,
  entityType: EntityType,
  attribute: Attribute,
  id: string,
  decide: (tx: Transaction, entity: StoredEntity) => Promise<readonly ValueWithEnd[]>,
): Promise<boolean> {
  const { model, actor } = context
  return context.db.sql.begin(async (tx) => {
    const [entity] = await lockEntities(tx, model, entityType, [id])
    if (!entity) return false
    const datedValues = await decide(tx, entity)
    const before = entity.valuesOf(attribute)
    const after = distinct(
      attribute,
      datedValues.filter(({ active_until }) => active_until === null),
    )
    const targets = referenceTargetsOf(model, [{ attribute, values: storedIn(after) }])
    const changes = [{ attribute, before, after }]
    await changeEntity(tx, model, entityType, entity, { changes, targets }, { now: context.now(), actor })
    await deleteHistory(tx, model, attribute, id)
    await insertHistory(
      tx,
      model,
      datedValues.flatMap((datedValue) => endedValue(attribute, id, datedValue)),
    )
    return true
  }) as Promise<boolean> // the driver's type for the callback's result is wider
}

/** Of equal values, the first stays. */
function distinct(attribute: Attribute, datedValues: readonly ValueWithEnd[]): ValueWithEnd[] {
  const { key } = attributeType(attribute.type)
  const byKey = new Map<string, ValueWithEnd>()
  for (const datedValue of datedValues)
    if (!byKey.has(key(datedValue.stored))) byKey.set(key(datedValue.stored), datedValue)
  return [...byKey.values()]
}

const endedValue = (attribute: Attribute, entity_id: string, datedValue: ValueWithEnd) =>
  datedValue.active_until === null
    ? []
    : [
        {
          entity_id,
          attribute: attribute.number,
          active_from: timestampFromMicros(datedValue.active_from),
          active_until: timestampFromMicros(datedValue.active_until),
          actor: datedValue.actor,
          mirrored: datedValue.writtenFromOtherSide,
          value: datedValue.stored,
          ended_by: datedValue.actor,
        },
      ]

/** A period in which a value is or was active. */
interface Interval {
  readonly active_from: Micros
  readonly active_until: Micros | null
}

/**
 * Refuses intervals that end before they begin and, for attributes with one value, intervals that overlap. Two open
 * intervals always overlap. Paths name the wrong value.
 */
function requireConsistent(attribute: Attribute, intervals: readonly Interval[]): void {
  const refuse = (index: number, member: string, message: string) =>
    invalidBody([{ code: 'invalid', path: ['data', 'values', index, member], message }])
  intervals.forEach(({ active_from, active_until }, index) => {
    if (active_until !== null && active_until <= active_from)
      throw refuse(index, 'active_until', 'active_until must be after active_from')
  })
  if (attribute.is_multiselect) return
  const ordered = intervals
    .map((interval, index) => ({ ...interval, index }))
    .sort((a, b) => a.active_from - b.active_from)
  ordered.slice(1).forEach((next, position) => {
    const previous = ordered[position]
    if (previous && (previous.active_until === null || previous.active_until > next.active_from)) {
      throw refuse(next.index, 'active_from', 'The intervals of a single-select attribute may not overlap')
    }
  })
}
