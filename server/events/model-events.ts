/** What is told of attributes, of objects and of lists. Spec: webhooks 4 and 5. */

import type { Call } from '../call'
import type { ModelChange } from '../data-model/change-model'
import { ownerOf } from '../data-model/find'
import type { Attribute, Owner } from '../data-model/model'
import { appendEvents, originOf } from './outbox'
import type { NewEvent } from './event-types'

type What = 'created' | 'updated'

/** In the transaction that creates or changes them. */
export const tellAttributes = (
  call: Call,
  { tx, model }: ModelChange,
  what: What,
  attributes: readonly Attribute[],
): Promise<void> =>
  appendEvents(
    tx,
    originOf(call),
    attributes.map((attribute) => eventOf(what, ownerOf(model, attribute), attribute.id)),
  )

const eventOf = (what: What, owner: Owner, attribute_id: string): NewEvent =>
  owner.kind === 'object'
    ? { event_type: `object-attribute.${what}`, id: { object_id: owner.id, attribute_id } }
    : { event_type: `list-attribute.${what}`, id: { list_id: owner.id, attribute_id } }
