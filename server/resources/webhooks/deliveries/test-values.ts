/**
 * Values in an event to try a webhook with: those that there are, as if they had just come.
 * See docs/reference/webhooks-and-events.md (Deliveries, Values in events).
 */

import type { RequestContext } from '../../../call'
import { entityTypeOf } from '../../../data-model/find'
import type { Subscription } from '../../../webhooks/match/subscription'
import { includesValues, withValues } from '../../../webhooks/match/include-values'
import type { ChangeEventBody } from '../../../events/event-types'
import { readActive } from '../../../storage/history'
import { compileVersions } from '../../../entities/read/render'

/** The text of an event, with values where a subscription to its kind asks for them. */
export async function testText(
  context: RequestContext,
  subscriptions: readonly Subscription[],
  event: ChangeEventBody,
): Promise<string> {
  const text = JSON.stringify(event)
  const isAsked = subscriptions.some((each) => each.event_type === event.event_type && includesValues(each))
  if (!isAsked) return text
  const values = await activeValues(context, event.id)
  return withValues(text, values === undefined ? undefined : { previous: '[]', new: values })
}

/** Undefined when it names nothing that there is, and for lists that not everyone in the workspace may see. */
async function activeValues({ model, db }: RequestContext, id: ChangeEventBody['id']): Promise<string | undefined> {
  const attribute = model.attributesById.get(id.attribute_id ?? '')
  const entityId = id.record_id ?? id.entry_id
  if (attribute === undefined || entityId === undefined) return undefined
  const entityType = entityTypeOf(model, attribute)
  if (entityType.kind === 'list' && entityType.workspace_access === null) return undefined
  const versions = await readActive(db.sql, model, entityType, attribute, entityId)
  return versions && compileVersions(attribute, model)(versions)
}
