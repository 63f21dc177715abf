/** Checks the target and the subscriptions of a webhook. See docs/reference/webhooks-and-events.md (Webhooks, Subscription filters, Targets). */

import { listAccess } from '#access/list-access/list-access'
import type { ApiContext } from '#context'
import { findActivity, findAttribute, findList, findObject, entityTypeOf } from '#engine/data-model/find'
import { isHidden } from '#engine/data-model/access/hidden'
import type { EntityType } from '#engine/data-model/model'
import {
  type SubscriptionCondition,
  conditionsOf,
  includesValues,
  isFieldOf,
  passesAll,
  type Subscription,
  TYPES_WITH_VALUES,
} from '#events/webhooks/match/webhook-access'
import { invalidBody, invalidRequest } from '#base/errors/http'
import { webhookConflict } from '#base/errors/webhooks'
import { type ValidationIssue } from '#base/errors/api-error'
import { scopesToRead } from '#events/feed/visibility'
import { requireAllScopes } from '#base/errors/access'
import type { WebhookInput } from './schemas'
import type { SubscriptionsOfTarget } from './store'

/** Throws 400 for a target that is not allowed. */
export async function refuseTarget(context: ApiContext, target: string): Promise<void> {
  const message = await context.targets?.refusal(target)
  if (message !== undefined) throw invalidBody([{ code: 'invalid', path: ['data', 'target_url'], message }])
}

/**
 * Returns the subscriptions as they are stored. Throws 400 for fields that an event does not have, for ids that do not
 * exist and for `values` of events without values, 403 for values that the caller may not read, and 409 for equal ones.
 */
export function checkSubscriptions(context: ApiContext, inputs: WebhookInput['subscriptions']): Subscription[] {
  const subscriptions = inputs.map(({ event_type, filter = null, include = [] }): Subscription => {
    return { event_type, filter, ...(include.length > 0 && { include }) }
  })
  const issues = subscriptions.flatMap((subscription, index) => [
    ...issuesOfFilter(context, subscription, index),
    ...issuesOfInclude(subscription, index),
  ])
  if (issues.length > 0) throw invalidBody(issues)
  refuseUnreadable(context, subscriptions.filter(includesValues))
  refuseRepeated(subscriptions)
  return subscriptions
}

function issuesOfInclude(subscription: Subscription, index: number): ValidationIssue[] {
  const { event_type } = subscription
  if (!includesValues(subscription) || TYPES_WITH_VALUES.has(event_type)) return []
  const message = `Invalid input: events of type ${event_type} change no values`
  return [{ code: 'invalid', path: ['data', 'subscriptions', index, 'include'], message }]
}

/** A subscription that includes values requires the scopes that reading the values requires. */
function refuseUnreadable({ scopes }: ApiContext, withValues: readonly Subscription[]): void {
  const needed = new Set(withValues.flatMap(({ event_type }) => scopesToRead(event_type)))
  requireAllScopes(scopes, [...needed])
}

function issuesOfFilter(context: ApiContext, { event_type, filter }: Subscription, index: number): ValidationIssue[] {
  if (filter === null) return []
  const path = ['data', 'subscriptions', index, 'filter']
  return conditionsOf(filter).flatMap((condition): ValidationIssue[] => {
    if (isFieldOf(event_type, condition.field)) return issuesOfId(context, condition, path)
    const message = `Invalid input: events of type ${event_type} have no ${condition.field}`
    return [{ code: 'invalid', path, message }]
  })
}

/**
 * Throws 409 for a subscription that another webhook of the workspace has: each combination of target, event type and filter
 * is unique. An equal one that the webhook has since an earlier version stays, so that it can be changed and made active.
 */
export function refuseEqual(subscriptions: readonly Subscription[], { own, others }: SubscriptionsOfTarget): void {
  const [kept, taken] = [new Set(own.map(keyOf)), new Set(others.map(keyOf))]
  const equal = subscriptions.find((subscription) => !kept.has(keyOf(subscription)) && taken.has(keyOf(subscription)))
  if (equal) throw webhookConflict(equal.event_type)
}

/** The same within a body. */
function refuseRepeated(subscriptions: readonly Subscription[]): void {
  const keys = subscriptions.map(keyOf)
  const repeated = subscriptions.find((_, index) => keys.indexOf(keys[index] ?? '') < index)
  if (repeated) throw webhookConflict(repeated.event_type)
}

/** Subscriptions to the same events of a type have the same key. The order of keys and of conditions is no difference. */
function keyOf({ event_type, filter }: Subscription): string {
  if (filter === null || passesAll(filter)) return event_type
  const texts = conditionsOf(filter).map(({ field, operator, value }) => JSON.stringify([field, operator, value]))
  const conditions = [...new Set(texts)].sort()
  const isAlternative = '$or' in filter && conditions.length > 1
  return JSON.stringify([event_type, isAlternative, ...conditions])
}

type Kind = EntityType['kind'] | 'attribute'

/** The kinds of things that the ids in these fields of an event name. */
const KINDS_BY_FIELD: Readonly<Record<string, Kind>> = {
  'id.list_id': 'list',
  list_id: 'list',
  'id.object_id': 'object',
  object_id: 'object',
  parent_object_id: 'object',
  duplicate_object_id: 'object',
  'id.activity_id': 'activity',
  'id.attribute_id': 'attribute',
}

/** Throws 400 for an id that does not exist. Returns an issue for a slug, because events have ids. */
function issuesOfId(
  context: ApiContext,
  { field, value }: SubscriptionCondition,
  path: ValidationIssue['path'],
): ValidationIssue[] {
  const kind = KINDS_BY_FIELD[field]
  if (kind === undefined || isIdOf(context, kind, value)) return []
  const id = idOfSlug(context, kind, value)
  if (id === undefined) throw invalidRequest(`Related ${kind} not found.`)
  return [
    {
      code: 'invalid',
      path,
      message: `Events name ${kind === 'list' ? 'a' : 'an'} ${kind} by its id: use "${id}" instead of "${value}"`,
    },
  ]
}

function isIdOf(context: ApiContext, kind: Kind, id: string): boolean {
  const { attributesById, entityTypesById } = context.model
  const attribute = attributesById.get(id)
  if (kind === 'attribute')
    return (
      attribute !== undefined &&
      attribute.isHidden !== true &&
      isVisible(context, entityTypeOf(context.model, attribute))
    )
  const entityType = entityTypesById.get(id)
  return entityType?.kind === kind && isVisible(context, entityType)
}

function idOfSlug(context: ApiContext, kind: Kind, slug: string): string | undefined {
  const { model } = context
  if (kind === 'object') return findObject(model, slug)?.id
  if (kind === 'activity') return findActivity(model, slug)?.id
  const visible = model.entityTypes.filter((entityType) => isVisible(context, entityType))
  if (kind === 'attribute') return visible.map((entityType) => findAttribute(entityType, slug)?.id).find(Boolean)
  const list = findList(model, slug)
  return list && isVisible(context, list) ? list.id : undefined
}

const isVisible = (context: ApiContext, entityType: EntityType): boolean =>
  entityType.kind === 'list' ? listAccess(context, entityType) !== undefined : !isHidden(context.model, entityType)
