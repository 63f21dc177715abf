/**
 * Adds the changed values to the events of subscriptions that include them.
 * See docs/reference/webhooks-and-events.md (Values in events); decision 0067.
 */

import type { EventType, ChangedValues } from '../../events/event-types'
import { findObject } from '../../data-model/find'
import { namesHidden } from '../../data-model/access/hidden'
import type { DataModel } from '../../data-model/model'
import type { Subscription } from './subscription'

/** The event types that a subscription can include values for. */
export const TYPES_WITH_VALUES: ReadonlySet<EventType> = new Set(['record.updated', 'list-entry.updated'])

export const includesValues = ({ include }: Subscription): boolean => include?.includes('values') === true

/** Adds two members to the JSON text of an event. They are null when the event has no values. */
export const withValues = (event: string, values: ChangedValues | undefined): string =>
  `${event.slice(0, -1)},"new_values":${values?.new ?? null},"previous_values":${values?.previous ?? null}}`

/** The values that the viewers see. Without a viewer who sees all of them, those that the first viewer sees. */
export function visibleValues(values: ChangedValues, seenAs: readonly (DataModel | undefined)[]): ChangedValues {
  const [first] = seenAs
  const seesAll = (model: DataModel | undefined) =>
    model === undefined || ![values.new, values.previous].some((text) => namesHidden(model, text))
  if (first === undefined || seenAs.some(seesAll)) return values
  return { new: withoutHidden(first, values.new), previous: withoutHidden(first, values.previous) }
}

/** The values of one attribute, as JSON, without references to hidden records. */
function withoutHidden(model: DataModel, text: string): string {
  const values = JSON.parse(text) as { readonly target_object?: string }[] // `compileValues` made it
  return JSON.stringify(
    values.filter(({ target_object: slug }) => slug === undefined || findObject(model, slug) !== undefined),
  )
}
