/**
 * Decides what a webhook gets of an event. The publisher asks when it makes a delivery, and a queue whenever it reads a pending
 * one, so the answer is that of the viewers' present access. See docs/decisions/event-access.md.
 */

import type { Sql, Transaction } from '#db/connect'
import { settleAll } from '#base/timing/wait'
import type { ChangedValues, ChangeEventBody } from '#vocabulary/event-types'
import { type EventSubject, isVisible } from '#events/feed/visibility'
import { findObject } from '#engine/data-model/find'
import { isHiddenEvent } from '#engine/data-model/access/hidden'
import { modelOfViewer } from '#engine/data-model/access/member-model'
import type { DataModel } from '#engine/data-model/model'
import type { ListAccess } from '#engine/data-model/viewer'
import {
  findListAccess,
  findWorkspacesWithGrants,
  type WebhookAccess,
  includesValues,
  isSubscribed,
  withValues,
} from './webhook-access'
import { createLru } from '#base/caching/caching'
import { loadDataModel } from '#engine/data-model/load'

/** The settings of a workspace that decide, beside the scopes of viewers. */
export interface AccessSettings {
  readonly lists: ReadonlyMap<string, ListAccess>
  /** Of workspaces in which not every member sees every object. */
  readonly models: ReadonlyMap<string, DataModel>
}

/** `listIds` are the lists that the events name. */
export async function readAccessSettings(
  sql: Sql | Transaction,
  workspaceIds: readonly string[],
  listIds: readonly string[],
): Promise<AccessSettings> {
  const found = [findListAccess(sql, workspaceIds, listIds), findModelsWithGrants(sql, workspaceIds)] as const
  await settleAll(found)
  const [lists, models] = await Promise.all(found)
  return { lists, models }
}

export interface RenderedEvent {
  readonly subject: EventSubject
  /** JSON, without values. */
  readonly text: string
  readonly values: ChangedValues | undefined
}

/** What the viewers of a webhook see of an event. */
export interface VisibleEvent {
  /** The given values, if the viewers see all of them. */
  readonly values: ChangedValues | undefined
}

/** Returns undefined when no viewer sees the event. */
export function visibleEvent(
  { workspaceId, viewers }: WebhookAccess,
  { subject, text, values }: RenderedEvent,
  { lists, models }: AccessSettings,
): VisibleEvent | undefined {
  const model = models.get(workspaceId)
  const seenAs = viewers
    .filter((viewer) => isVisible(viewer, subject, (id) => lists.get(id)))
    .map((viewer) => model && modelOfViewer(model, viewer))
    .filter((own) => own === undefined || !isHiddenEvent(own, text))
  if (seenAs.length === 0) return undefined
  const { listId } = subject
  // Who sees a private list changes, and what was sent cannot be taken back.
  const isPrivate = listId !== null && (lists.get(listId)?.workspace_access ?? null) === null
  return { values: isPrivate ? undefined : values && visibleValues(values, seenAs) }
}

/** The JSON text of an event for a webhook: with values when a matching subscription includes them. */
export function eventText(
  { subscriptions }: Pick<WebhookAccess, 'subscriptions'>,
  body: ChangeEventBody,
  text: string,
  { values }: VisibleEvent,
): string {
  return isIncluded(subscriptions, body) ? withValues(text, values) : text
}

function isIncluded(subscriptions: WebhookAccess['subscriptions'], body: ChangeEventBody): boolean {
  const withInclude = subscriptions.filter(includesValues)
  return withInclude.length > 0 && isSubscribed(withInclude, body)
}

/** The values that the viewers see. Without a viewer who sees all of them, those that the first viewer sees. */
function visibleValues(values: ChangedValues, seenAs: readonly (DataModel | undefined)[]): ChangedValues {
  const [first] = seenAs
  const seesAll = (model: DataModel | undefined) =>
    model === undefined || ![values.new, values.previous].some((text) => isHiddenEvent(model, text))
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

/**
 * The body of a delivery. Its list has one event.
 * See docs/reference/webhooks-and-events.md (The delivery request).
 */
export const envelope = (webhookId: string, event: string): string =>
  `{"webhook_id":"${webhookId}","events":[${event}]}`

/** A body that was made for an earlier access, as the webhook may get it now. Undefined when it may not get it. */
export function presentBody(
  webhook: WebhookAccess,
  subject: EventSubject,
  body: string,
  settings: AccessSettings,
): string | undefined {
  const text = body.slice(body.indexOf('[') + 1, -2) // what `envelope` puts around it
  if (!text.includes('"new_values":'))
    return visibleEvent(webhook, { subject, text, values: undefined }, settings) && body
  const { new_values, previous_values, ...event } = JSON.parse(text) as ChangeEventBody // `withValues` made it
  const values =
    Array.isArray(new_values) && Array.isArray(previous_values)
      ? { new: JSON.stringify(new_values), previous: JSON.stringify(previous_values) }
      : undefined
  const plain = JSON.stringify(event)
  const visible = visibleEvent(webhook, { subject, text: plain, values }, settings)
  if (visible === undefined) return undefined
  // The bytes of a body that does not change stay the same.
  if (visible.values === values && isIncluded(webhook.subscriptions, event as ChangeEventBody)) return body
  return envelope(webhook.id, eventText(webhook, event as ChangeEventBody, plain, visible))
}

/** The data models of workspaces whose objects are not visible to all members. */
const MAX_MODELS = 50

/** By workspace and version, which the caller's statement reads, so no model is older than the call. */
const models = createLru<string, DataModel>(MAX_MODELS)

/** By the workspace's id. Workspaces in which all members have read-write access to all objects have no model here. */
async function findModelsWithGrants(
  sql: Sql | Transaction,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, DataModel>> {
  const found = new Map<string, DataModel>()
  for (const { id, version } of await findWorkspacesWithGrants(sql, workspaceIds)) {
    const key = `${id} ${version}`
    const model = models.get(key) ?? (await loadDataModel(sql, id))
    models.set(key, model)
    found.set(id, model)
  }
  return found
}
