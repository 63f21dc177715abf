/** Replaces the active and ended values of one attribute of one entity. See docs/reference/values.md (History). */

import type { Transaction } from '#db/connect'
import { attributeType } from '#engine/attribute-types/registry'
import type { RequestContext } from '#context'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { invalidBody } from '#base/errors/http'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { deleteHistory, type ValueWithEnd, insertHistory } from '#engine/storage/history'
import { referenceTargetsOf } from '#engine/storage/preconditions'
import { storedIn } from '#engine/storage/provenance'
import { lockEntities, type StoredEntity } from '#engine/storage/read-entities'
import { changeEntity } from '#engine/storage/statements/update-entities'

/**
 * Makes the decided values the history and the active values of an attribute: those with an end become history, the
 * others its active values in their order. There are no change events. Returns false if the entity does not exist.
 * Throws `VersionConflict` and `UniqueKeyConflict`.
 */
export async function replaceHistory(
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
export interface Interval {
  readonly active_from: Micros
  readonly active_until: Micros | null
}

/**
 * Refuses intervals that end before they begin and, for attributes with one value, intervals that overlap. Two open
 * intervals always overlap. Paths name the wrong value.
 */
export function requireConsistent(attribute: Attribute, intervals: readonly Interval[]): void {
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
