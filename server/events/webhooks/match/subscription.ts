/** Decides which events a webhook is subscribed to. See docs/reference/webhooks-and-events.md (Subscription filters). */

import { anyOf } from '#engine/data-model/kysely-in-transaction'
import { type RawBuilder, sql as expression } from 'kysely'
import { type ChangedValues, type ChangeEventBody, EVENT_KINDS, type EventType } from '#vocabulary/event-types'
import type { VisibleEvents } from '#events/feed/visibility'

export interface SubscriptionCondition {
  /** A dot path into an event as delivered. */
  readonly field: string
  readonly operator: 'equals' | 'not_equals'
  readonly value: string
}

export type SubscriptionFilter =
  { readonly $and: readonly SubscriptionCondition[] } | { readonly $or: readonly SubscriptionCondition[] }

export interface Subscription {
  readonly event_type: EventType
  /** Null or a filter without conditions passes all events of the type. */
  readonly filter: SubscriptionFilter | null
  /** What the events include beside ids. Undefined for nothing. */
  readonly include?: readonly 'values'[]
}

export const conditionsOf = (filter: SubscriptionFilter): readonly SubscriptionCondition[] =>
  '$and' in filter ? filter.$and : filter.$or

/** Whether a filter passes every event. Clients write `{"$and":[]}` for that as well. */
export const passesAll = (filter: SubscriptionFilter | null): boolean =>
  filter === null || conditionsOf(filter).length === 0

export function isSubscribed(subscriptions: readonly Subscription[], event: ChangeEventBody): boolean {
  return subscriptions.some(({ event_type, filter }) => event_type === event.event_type && passes(filter, event))
}

function passes(filter: SubscriptionFilter | null, event: ChangeEventBody): boolean {
  if (filter === null || passesAll(filter)) return true
  return '$and' in filter
    ? filter.$and.every((condition) => meets(condition, event))
    : filter.$or.some((condition) => meets(condition, event))
}

/** Compares strings. A member that is absent or null equals no value. */
function meets({ field, operator, value }: SubscriptionCondition, event: ChangeEventBody): boolean {
  const found = valueAt(event, field)
  const isEqual = found !== undefined && found !== null && String(found) === value
  return operator === 'equals' ? isEqual : !isEqual
}

/** Whether events of this type can have a value at this path. */
export function isFieldOf(eventType: EventType, field: string): boolean {
  const { id, members } = EVENT_KINDS[eventType]
  const fields: readonly string[] = [
    'event_type',
    'id.workspace_id',
    ...id.map((member) => `id.${member}`),
    ...members,
    'actor.type',
    'actor.id',
  ]
  return fields.includes(field)
}

const valueAt = (event: ChangeEventBody, field: string): unknown =>
  field.split('.').reduce<unknown>((found, name) => memberOf(found, name), event)

const memberOf = (found: unknown, name: string): unknown =>
  typeof found === 'object' && found !== null && Object.hasOwn(found, name)
    ? (found as Record<string, unknown>)[name] // an object with this member, checked above
    : undefined

// Adds the changed values to the events of subscriptions that include them.
// See docs/reference/webhooks-and-events.md (Values in events); docs/decisions/webhooks.md.

/** The event types that a subscription can include values for. */
export const TYPES_WITH_VALUES: ReadonlySet<EventType> = new Set(['record.updated', 'list-entry.updated'])

export const includesValues = ({ include }: Subscription): boolean => include?.includes('values') === true

/** Adds two members to the JSON text of an event. They are null when the event has no values. */
export const withValues = (event: string, values: ChangedValues | undefined): string =>
  `${event.slice(0, -1)},"new_values":${values?.new ?? null},"previous_values":${values?.previous ?? null}}`

// The rule of `events/visibility.ts` as a condition on rows with an event's type, the list that it names, and its text.

/** The rows that at least one of these viewers may see. */
export const visibleToAny = (visible: readonly VisibleEvents[]): RawBuilder<boolean> =>
  expression`(${expression.join([expression`false`, ...visible.map(visibleTo)], expression` or `)})`

export const visibleTo = ({
  types,
  listTypes,
  lists,
  seesDeletedLists,
  hiddenNames,
}: VisibleEvents): RawBuilder<boolean> => expression`(
  not (body like ${anyOf(hiddenNames.map(patternOf), 'text')}) and case when list_id is null then event_type = ${anyOf([...types], 'text')}
  else event_type = ${anyOf([...listTypes], 'text')}
    and (${seesDeletedLists}::boolean or event_type = 'list.deleted' or list_id = ${anyOf([...lists], 'text')}) end)`

const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
