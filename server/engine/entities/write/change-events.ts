/**
 * The change events of a write: those of the entity itself, with the actor of the write, and those of the records that its
 * relationships gained or lost, with the system as actor. See docs/reference/webhooks-and-events.md (What causes what).
 */

import type { Stored } from '#engine/attribute-types/define'
import { entityTypeOf, otherSideOf } from '#engine/data-model/find'
import {
  type Attribute,
  type DataModel,
  type EntityType,
  type ListType,
  type RecordType,
  SYSTEM_ACTOR,
} from '#engine/data-model/model'
import type { ChangedValues, ChangeEvent } from '#vocabulary/event-types'
import type { AttributeChange } from '#engine/storage/entity-change'
import { compileValues } from '#engine/entities/read/render'
import type { DatedValue } from '#engine/storage/provenance'

/** An entity as events name it. */
export interface EventEntity {
  readonly id: string
  /** Only of an entry. */
  readonly parentRecordId?: string
  /** The number of the object of the parent record. */
  readonly parentObject?: number
}

/** One event of the entity, without its values, and one of each record that a relationship gained. */
export function eventsOfCreation(
  model: DataModel,
  entityType: EntityType,
  entity: EventEntity,
  contents: readonly { readonly attribute: Attribute; readonly values: readonly Stored[] }[],
): ChangeEvent[] {
  const events: ChangeEvent[] = [createdEvent(entityType, entity)]
  for (const { attribute, values } of contents) {
    if (attribute.relationship_attribute_id === null) continue
    addPartnerEvents(events, model, attribute, new Set(values.map(targetOf)))
  }
  return events
}

function createdEvent(entityType: EntityType, entity: EventEntity): ChangeEvent {
  switch (entityType.kind) {
    case 'object':
      return { event_type: 'record.created', id: { object_id: entityType.id, record_id: entity.id } }
    case 'activity':
      return { event_type: 'activity-record.created', id: { activity_id: entityType.id, record_id: entity.id } }
    case 'list':
      return { event_type: 'list-entry.created', ...entryMembers(entityType, entity) }
  }
}

export const recordDeletedEvent = ({ kind, id }: RecordType, record_id: string): ChangeEvent =>
  kind === 'object'
    ? { event_type: 'record.deleted', id: { object_id: id, record_id } }
    : { event_type: 'activity-record.deleted', id: { activity_id: id, record_id } }

/** One event for each attribute whose values or their order changed, and one of each record that a relationship gained or lost. */
export function eventsOfChange(
  model: DataModel,
  entityType: EntityType,
  entity: EventEntity,
  changes: readonly AttributeChange[],
  actor?: number,
): ChangeEvent[] {
  const changed = changes.filter(hasOtherValues)
  const events = changed.map((change): ChangeEvent => {
    const values = valuesForEvent(model, entityType, change)
    return { ...updatedEvent(entityType, entity, change.attribute, actor), ...(values && { values }) }
  })
  for (const { attribute, before, after } of changed) {
    if (attribute.relationship_attribute_id === null) continue
    const [had, has] = [before, after].map((datedValues) => new Set(datedValues.map(({ stored }) => targetOf(stored))))
    if (had && has) addPartnerEvents(events, model, attribute, had.symmetricDifference(has))
  }
  return events
}

export const updatedEvent = (
  entityType: EntityType,
  entity: EventEntity,
  attribute: Attribute,
  actor?: number,
): ChangeEvent => {
  const by = actor === undefined ? {} : { actor }
  if (entityType.kind === 'object') {
    const id = { object_id: entityType.id, record_id: entity.id, attribute_id: attribute.id }
    return { event_type: 'record.updated', id, ...by }
  }
  if (entityType.kind === 'activity') {
    const id = { activity_id: entityType.id, record_id: entity.id, attribute_id: attribute.id }
    return { event_type: 'activity-record.updated', id, ...by }
  }
  const { id, ...parent } = entryMembers(entityType, entity)
  return { event_type: 'list-entry.updated', id: { ...id, attribute_id: attribute.id }, ...parent, ...by }
}

export const entryDeletedEvent = (list: ListType, entry: EventEntity): ChangeEvent => ({
  event_type: 'list-entry.deleted',
  ...entryMembers(list, entry),
})

const entryMembers = (list: ListType, { id, parentRecordId, parentObject }: EventEntity) => ({
  id: { list_id: list.id, entry_id: id },
  parent_object_id:
    (list.parentObjects.find(({ number }) => number === parentObject) ?? list.parentObjects[0])?.id ?? null,
  parent_record_id: parentRecordId ?? null,
})

/** Adds events of the records whose other side of a relationship changed. */
export function addPartnerEvents(
  events: ChangeEvent[],
  model: DataModel,
  attribute: Attribute,
  recordIds: Iterable<string>,
): void {
  const partner = otherSideOf(model, attribute)
  if (!partner) return
  const entityType = entityTypeOf(model, partner)
  for (const id of recordIds) events.push(updatedEvent(entityType, { id }, partner, SYSTEM_ACTOR))
}

/** A write keeps the objects of values that it does not change. */
function hasOtherValues({ before, after }: AttributeChange): boolean {
  if (before.length !== after.length) return true
  for (const [index, { stored }] of before.entries()) if (stored !== after[index]?.stored) return true
  return false
}

const targetOf = (stored: Stored): string => String(stored.target_record_id)

/** The events without those of these records. */
export const withoutRecords = (events: readonly ChangeEvent[], ids: readonly string[]): ChangeEvent[] =>
  events.filter(({ id }) => !('record_id' in id && ids.includes(id.record_id)))

/**
 * Puts the events of what was written to an entity first, with the actor of the write, also where a step added them from
 * the other side of a relationship.
 */
export function putOwnFirst(
  events: readonly ChangeEvent[],
  entityId: string,
  written: readonly { readonly attribute: Attribute }[],
): ChangeEvent[] {
  const attributes = new Set(written.map(({ attribute }) => attribute.id))
  const isOwn = ({ id }: ChangeEvent) =>
    'record_id' in id && 'attribute_id' in id && id.record_id === entityId && attributes.has(id.attribute_id)
  const own = events.filter(isOwn).map(({ actor: _system, ...event }) => event as ChangeEvent) // `actor` is optional
  return [...own, ...events.filter((event) => !isOwn(event))]
}

/** Joins events of one change that several steps added. */
export function joinRepeated(events: readonly ChangeEvent[]): ChangeEvent[] {
  const once = new Map<string, ChangeEvent>()
  for (const event of events) {
    const key = event.event_type + JSON.stringify(event.id)
    const first = once.get(key)
    once.set(key, first === undefined ? event : joinValues(first, event))
  }
  return [...once.values()]
}

// The values of an attribute before and after a change, for subscriptions that include them.
// See docs/reference/webhooks-and-events.md (Values in events); docs/decisions/webhooks.md.

/** The JSON text of both together. Receivers read longer values over the API. */
const MAX_CHARACTERS = 64 * 1024

/**
 * The values in the form of the API. Undefined if no subscription includes them, if they are too long, and for private
 * lists.
 */
export function valuesForEvent(
  model: DataModel,
  entityType: EntityType,
  { attribute, before, after }: AttributeChange,
): ChangedValues | undefined {
  if (!model.includesValues || (entityType.kind === 'list' && entityType.workspace_access === null)) return undefined
  const values = { previous: textOf(model, attribute, before), new: textOf(model, attribute, after) }
  return values.previous.length + values.new.length > MAX_CHARACTERS ? undefined : values
}

/** The values for all receivers, so with those that the writer does not see. */
function textOf(model: DataModel, attribute: Attribute, datedValues: readonly DatedValue[]): string {
  const whole = model.loaded?.attributesById.get(attribute.id) ?? attribute
  return compileValues(whole, model)(datedValues.map((datedValue) => ({ ...datedValue, active_until: null })))
}

/** Joins the events of two steps of one change: the values before the first and after the second. */
export function joinValues(first: ChangeEvent, second: ChangeEvent): ChangeEvent {
  const { values, ...event } = first
  if (values === undefined || second.values === undefined) return event as ChangeEvent // `values` is optional
  return { ...first, values: { previous: values.previous, new: second.values.new } }
}
