/**
 * The values of an attribute before and after a change, for subscriptions that include them.
 * See docs/reference/webhooks-and-events.md (Values in events); decision 0067.
 */

import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import type { ChangeEvent, ChangedValues } from '#vocabulary/event-types'
import type { AttributeChange } from '#engine/storage/entity-change'
import { compileValues } from '#engine/entities/read/render'
import type { DatedValue } from '#engine/storage/provenance'

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
