/**
 * What is told of attributes, of objects and of lists.
 * See docs/reference/webhooks-and-events.md (Event types, What causes what).
 */

import type { RequestContext } from '../context'
import type { ModelChange } from '../data-model/change-model'
import { entityTypeOf } from '../data-model/find'
import type { Attribute, EntityType } from '../data-model/model'
import { appendToOutbox, eventOriginOf } from './outbox'
import type { ChangeEvent } from './event-types'

type What = 'created' | 'updated'

/** In the transaction that creates or changes them. */
export const attributeEvents = (
  context: RequestContext,
  { tx, model }: ModelChange,
  what: What,
  attributes: readonly Attribute[],
): Promise<void> =>
  appendToOutbox(
    tx,
    eventOriginOf(context),
    attributes.map((attribute) => eventOf(what, entityTypeOf(model, attribute), attribute.id)),
  )

const eventOf = (what: What, entityType: EntityType, attribute_id: string): ChangeEvent =>
  entityType.kind === 'object'
    ? { event_type: `object-attribute.${what}`, id: { object_id: entityType.id, attribute_id } }
    : { event_type: `list-attribute.${what}`, id: { list_id: entityType.id, attribute_id } }
