/**
 * Values in what webhooks are told, for those who ask for them.
 * See docs/reference/webhooks-and-events.md (Values in events); decision 0067.
 */

import type { EventType, ChangedValues } from '../../events/event-types'
import type { Subscription } from './subscription'

/** The types of events that say what changed. */
export const TYPES_WITH_VALUES: ReadonlySet<EventType> = new Set(['record.updated', 'list-entry.updated'])

export const asksForValues = ({ include }: Subscription): boolean => include?.includes('values') === true

/** The text of an event with two more members; null where there is nothing to tell. */
export const withValues = (event: string, values: ChangedValues | undefined): string =>
  `${event.slice(0, -1)},"new_values":${values?.new ?? null},"previous_values":${values?.previous ?? null}}`
