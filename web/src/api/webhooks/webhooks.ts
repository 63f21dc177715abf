/** Webhooks of the workspace. Webhooks of apps and API keys are read-only here. */

import type { WebhookEventType as EventType } from '#vocabulary/event-types'
import type { CreatedWebhook, WebhookChange, WebhookInput, WebhookOutput } from '#api/resources/webhooks/schemas'
import { api } from '../client'

export type { EventType, WebhookInput }
export type Webhook = WebhookOutput
export type NewWebhook = CreatedWebhook
export type Subscription = WebhookOutput['subscriptions'][number]
export type SubscriptionFilter = NonNullable<Subscription['filter']>

const PAGE = 100

/** All webhooks, in the order of their creation. */
export async function listWebhooks(signal?: AbortSignal): Promise<Webhook[]> {
  const all: Webhook[] = []
  for (;;) {
    const query = { limit: PAGE, offset: all.length }
    const { data } = await api.get<{ data: Webhook[] }>('/webhooks', { query, signal })
    all.push(...data)
    if (data.length < PAGE) return all
  }
}

export const getWebhook = async (id: string, signal?: AbortSignal): Promise<Webhook> =>
  (await api.get<{ data: Webhook }>(pathOf(id), { signal })).data

/** Returns the secret, too, which is never returned again. */
export const createWebhook = async (input: WebhookInput): Promise<NewWebhook> =>
  (await api.post<{ data: NewWebhook }>('/webhooks', { body: { data: input } })).data

/** An update of more than the name also resumes a paused webhook, unless it has another status. */
export const updateWebhook = async (id: string, change: WebhookChange): Promise<Webhook> =>
  (await api.patch<{ data: Webhook }>(pathOf(id), { body: { data: change } })).data

export const deleteWebhook = (id: string): Promise<unknown> => api.delete(pathOf(id))

/** Returns a new secret. The old one signs as well for a day. */
export const rotateSecret = async (id: string): Promise<string> =>
  (await api.post<{ data: NewWebhook }>(`${pathOf(id)}/rotate-secret`)).data.secret

const pathOf = (id: string): string => `/webhooks/${encodeURIComponent(id)}`
