/**
 * The change events of attributes of objects, lists and activities.
 * See docs/reference/webhooks-and-events.md (Event types, What causes what).
 */

import type { RequestContext } from '#context'
import type { ModelChange } from '#engine/data-model/change-model'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import type { ChangeEvent } from '#vocabulary/event-types'

type Change = 'created' | 'updated'

/** Appends the events in the transaction that creates or changes the attributes. */
export const attributeEvents = (
  context: RequestContext,
  { tx, model }: ModelChange,
  change: Change,
  attributes: readonly Attribute[],
): Promise<void> =>
  appendToOutbox(
    tx,
    eventOriginOf(context),
    attributes.map((attribute) => eventOf(change, entityTypeOf(model, attribute), attribute.id)),
  )

function eventOf(change: Change, { kind, id }: EntityType, attribute_id: string): ChangeEvent {
  switch (kind) {
    case 'object':
      return { event_type: `object-attribute.${change}`, id: { object_id: id, attribute_id } }
    case 'list':
      return { event_type: `list-attribute.${change}`, id: { list_id: id, attribute_id } }
    case 'activity':
      return { event_type: `activity-attribute.${change}`, id: { activity_id: id, attribute_id } }
  }
}
