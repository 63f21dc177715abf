/**
 * Adds the current values of the attribute to test events, as new values.
 * See docs/reference/webhooks-and-events.md (Deliveries, Values in events).
 */

import type { ApiContext } from '#context'
import { entityTypeOf } from '#engine/data-model/find'
import type { Subscription } from '#events/webhooks/match/subscription'
import { includesValues, withValues } from '#events/webhooks/match/include-values'
import type { ChangeEventBody } from '#vocabulary/event-types'
import { readActive } from '#engine/storage/history'
import { compileValues } from '#engine/entities/read/render'

/** The JSON text of an event, with values when a subscription to its type includes them. */
export async function testText(
  context: ApiContext,
  subscriptions: readonly Subscription[],
  event: ChangeEventBody,
): Promise<string> {
  const text = JSON.stringify(event)
  const hasInclude = subscriptions.some((each) => each.event_type === event.event_type && includesValues(each))
  if (!hasInclude) return text
  const values = await activeValues(context, event.id)
  return withValues(text, values === undefined ? undefined : { previous: '[]', new: values })
}

/** Undefined when the entity does not exist, and for entries of private lists. */
async function activeValues({ model, db }: ApiContext, id: ChangeEventBody['id']): Promise<string | undefined> {
  const attribute = model.attributesById.get(id.attribute_id ?? '')
  const entityId = id.record_id ?? id.entry_id
  if (attribute === undefined || entityId === undefined) return undefined
  const entityType = entityTypeOf(model, attribute)
  if (entityType.kind === 'list' && entityType.workspace_access === null) return undefined
  const versions = await readActive(db.sql, model, entityType, attribute, entityId)
  return versions && compileValues(attribute, model)(versions)
}
