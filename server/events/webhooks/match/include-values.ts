/**
 * Adds the changed values to the events of subscriptions that include them.
 * See docs/reference/webhooks-and-events.md (Values in events); decision 0067.
 */

import type { EventType, ChangedValues } from '#vocabulary/event-types'
import type { Subscription } from './subscription'

/** The event types that a subscription can include values for. */
export const TYPES_WITH_VALUES: ReadonlySet<EventType> = new Set(['record.updated', 'list-entry.updated'])

export const includesValues = ({ include }: Subscription): boolean => include?.includes('values') === true

/** Adds two members to the JSON text of an event. They are null when the event has no values. */
export const withValues = (event: string, values: ChangedValues | undefined): string =>
  `${event.slice(0, -1)},"new_values":${values?.new ?? null},"previous_values":${values?.previous ?? null}}`
