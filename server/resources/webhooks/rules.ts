/** What a webhook may be. See docs/reference/webhooks-and-events.md (Webhooks, Subscription filters, Targets). */

import { listAccess } from '../../access/list-access/list-access'
import type { RequestContext } from '../../call'
import { findAttribute, findList, findObject, entityTypeOf } from '../../data-model/find'
import type { EntityType } from '../../data-model/model'
import { conditionsOf, isFieldOf, type Condition, type Subscription } from '../../webhooks/match/subscription'
import { asksForValues, TYPES_WITH_VALUES } from '../../webhooks/match/include-values'
import { invalidBody, invalidRequest, missingScopes, type ValidationIssue } from '../../errors/errors'
import { scopesToRead } from '../../events/visibility'
import { includesScope, describeScope } from '../../scopes'
import type { WebhookInput } from './schemas'

/** Throws 400 for an address that nothing may be sent to. */
export async function refuseTarget(context: RequestContext, target: string): Promise<void> {
  const message = await context.targets?.refusal(target)
  if (message !== undefined) throw invalidBody([{ code: 'invalid', path: ['data', 'target_url'], message }])
}

/**
 * Subscriptions as they are kept. Throws 400 for fields that an event does not have, for ids that name nothing and for
 * values where there are none, and 403 for values that the caller may not read.
 */
export function checkSubscriptions(context: RequestContext, inputs: WebhookInput['subscriptions']): Subscription[] {
  const subscriptions = inputs.map(({ event_type, filter = null, include = [] }): Subscription => {
    return { event_type, filter, ...(include.length > 0 && { include }) }
  })
  const issues = subscriptions.flatMap((subscription, index) => [
    ...issuesOfFilter(context, subscription, index),
    ...issuesOfInclude(subscription, index),
  ])
  if (issues.length > 0) throw invalidBody(issues)
  refuseUnreadable(context, subscriptions.filter(asksForValues))
  return subscriptions
}

function issuesOfInclude(subscription: Subscription, index: number): ValidationIssue[] {
  const { event_type } = subscription
  if (!asksForValues(subscription) || TYPES_WITH_VALUES.has(event_type)) return []
  const message = `Invalid input: events of type ${event_type} change no values`
  return [{ code: 'invalid', path: ['data', 'subscriptions', index, 'include'], message }]
}

/** Being told values takes what reading them takes. */
function refuseUnreadable({ scopes }: RequestContext, asking: readonly Subscription[]): void {
  const needed = new Set(asking.flatMap(({ event_type }) => scopesToRead(event_type)))
  const missing = [...needed].filter((scope) => !includesScope(scopes, scope))
  if (missing.length > 0) throw missingScopes(missing.map(describeScope), missing)
}

function issuesOfFilter(
  context: RequestContext,
  { event_type, filter }: Subscription,
  index: number,
): ValidationIssue[] {
  if (filter === null) return []
  const path = ['data', 'subscriptions', index, 'filter']
  return conditionsOf(filter).flatMap((condition): ValidationIssue[] => {
    if (isFieldOf(event_type, condition.field)) return refuseUnrelated(context, condition, path)
    const message = `Invalid input: events of type ${event_type} have no ${condition.field}`
    return [{ code: 'invalid', path, message }]
  })
}

type Kind = 'list' | 'object' | 'attribute'

/** What the ids at these places in an event belong to. */
const NAMED: Readonly<Record<string, Kind>> = {
  'id.list_id': 'list',
  list_id: 'list',
  'id.object_id': 'object',
  object_id: 'object',
  parent_object_id: 'object',
  duplicate_object_id: 'object',
  'id.attribute_id': 'attribute',
}

/** Throws 400 for an id of nothing; an issue for a slug, because events hold ids. */
function refuseUnrelated(
  context: RequestContext,
  { field, value }: Condition,
  path: ValidationIssue['path'],
): ValidationIssue[] {
  const kind = NAMED[field]
  if (kind === undefined || isIdOf(context, kind, value)) return []
  const id = idBehind(context, kind, value)
  if (id === undefined) throw invalidRequest(`Related ${kind} not found.`)
  return [{ code: 'invalid', path, message: `Events name a ${kind} by its id: use "${id}" instead of "${value}"` }]
}

function isIdOf(context: RequestContext, kind: Kind, id: string): boolean {
  const { attributesById, entityTypesById } = context.model
  const attribute = attributesById.get(id)
  if (kind === 'attribute') return attribute !== undefined && isSeen(context, entityTypeOf(context.model, attribute))
  const entityType = entityTypesById.get(id)
  return entityType?.kind === kind && isSeen(context, entityType)
}

function idBehind(context: RequestContext, kind: Kind, slug: string): string | undefined {
  const { model } = context
  if (kind === 'object') return findObject(model, slug)?.id
  const seen = model.entityTypes.filter((entityType) => isSeen(context, entityType))
  if (kind === 'attribute') return seen.map((entityType) => findAttribute(entityType, slug)?.id).find(Boolean)
  const list = findList(model, slug)
  return list && isSeen(context, list) ? list.id : undefined
}

const isSeen = (context: RequestContext, entityType: EntityType): boolean =>
  entityType.kind === 'object' || listAccess(context, entityType) !== undefined
