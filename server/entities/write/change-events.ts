/**
 * What writes of entities tell: of the entity itself, by whoever writes, and of the records that its relationships gained or
 * lost, by the system. See docs/reference/webhooks-and-events.md (What causes what).
 */

import type { Stored } from '../../attribute-types/define'
import { entityTypeOf, otherSideOf } from '../../data-model/find'
import type { Attribute, DataModel, ListType, EntityType } from '../../data-model/model'
import type { ChangeEvent } from '../../events/event-types'
import type { AttributeChange } from '../../storage/entity-change'
import { joinValues, valuesToTell } from './changed-values'

const SYSTEM = 0

/** An entity as events name it. */
export interface ToldEntity {
  readonly id: string
  /** The record an entry stands for. */
  readonly parentRecordId?: string
}

/** One event of the entity, none of its values; and of each partner that it refers to. */
export function tellCreated(
  model: DataModel,
  entityType: EntityType,
  entity: ToldEntity,
  contents: readonly { readonly attribute: Attribute; readonly values: readonly Stored[] }[],
): ChangeEvent[] {
  const events: ChangeEvent[] = [
    entityType.kind === 'object'
      ? { event_type: 'record.created', id: { object_id: entityType.id, record_id: entity.id } }
      : { event_type: 'list-entry.created', ...entryMembers(entityType, entity) },
  ]
  for (const { attribute, values } of contents) {
    if (attribute.relationship_attribute_id === null) continue
    tellPartners(events, model, attribute, new Set(values.map(targetOf)))
  }
  return events
}

/** One event for each attribute whose values or their order changed, and of each partner gained or lost. */
export function tellChanged(
  model: DataModel,
  entityType: EntityType,
  entity: ToldEntity,
  changes: readonly AttributeChange[],
  actor?: number,
): ChangeEvent[] {
  const changed = changes.filter(hasOtherValues)
  const events = changed.map((change): ChangeEvent => {
    const values = valuesToTell(model, entityType, change)
    return { ...tellUpdated(entityType, entity, change.attribute, actor), ...(values && { values }) }
  })
  for (const { attribute, before, after } of changed) {
    if (attribute.relationship_attribute_id === null) continue
    const [had, has] = [before, after].map((versions) => new Set(versions.map(({ stored }) => targetOf(stored))))
    if (had && has) tellPartners(events, model, attribute, had.symmetricDifference(has))
  }
  return events
}

export const tellUpdated = (
  entityType: EntityType,
  entity: ToldEntity,
  attribute: Attribute,
  actor?: number,
): ChangeEvent => {
  const by = actor === undefined ? {} : { actor }
  if (entityType.kind === 'object') {
    const id = { object_id: entityType.id, record_id: entity.id, attribute_id: attribute.id }
    return { event_type: 'record.updated', id, ...by }
  }
  const { id, ...parent } = entryMembers(entityType, entity)
  return { event_type: 'list-entry.updated', id: { ...id, attribute_id: attribute.id }, ...parent, ...by }
}

export const tellEntryDeleted = (list: ListType, entry: ToldEntity): ChangeEvent => ({
  event_type: 'list-entry.deleted',
  ...entryMembers(list, entry),
})

const entryMembers = (list: ListType, { id, parentRecordId }: ToldEntity) => ({
  id: { list_id: list.id, entry_id: id },
  parent_object_id: list.parent_object_id,
  parent_record_id: parentRecordId ?? null,
})

/** That the other side of a relationship changed in each of these records. */
export function tellPartners(
  events: ChangeEvent[],
  model: DataModel,
  attribute: Attribute,
  recordIds: Iterable<string>,
): void {
  const partner = otherSideOf(model, attribute)
  if (!partner) return
  const entityType = entityTypeOf(model, partner)
  for (const id of recordIds) events.push(tellUpdated(entityType, { id }, partner, SYSTEM))
}

/** Writing keeps what it does not change, so values that are the same are the same object. */
const hasOtherValues = ({ before, after }: AttributeChange): boolean =>
  before.length !== after.length || before.some(({ stored }, index) => stored !== after[index]?.stored)

const targetOf = (stored: Stored): string => String(stored.target_record_id)

/** What is told of others than these entities. */
export const ofOthers = (events: readonly ChangeEvent[], ids: readonly string[]): ChangeEvent[] =>
  events.filter(({ id }) => !('record_id' in id && ids.includes(id.record_id)))

/** What was written to an entity first, and as told by whoever wrote it, even where a step found it from the other side. */
export function ownFirst(
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

/** Each change once, although several steps found it. */
export function onlyOnce(events: readonly ChangeEvent[]): ChangeEvent[] {
  const once = new Map<string, ChangeEvent>()
  for (const event of events) {
    const key = event.event_type + JSON.stringify(event.id)
    const first = once.get(key)
    once.set(key, first === undefined ? event : joinValues(first, event))
  }
  return [...once.values()]
}
