/** Deliveries of webhooks. */

import type {
  Delivery,
  DeliveryStatistics,
  ReplayInput,
  TestInput,
  WholeDelivery,
} from '#api/resources/webhooks/deliveries/schemas'
import { api } from '../client'
import type { CursorPage } from '../cursor-page'
import type { EventType } from './webhooks'

export type { Delivery, DeliveryStatistics, WholeDelivery }
export type Attempt = WholeDelivery['attempts'][number]
export type DeliveryStatus = Delivery['status']

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined
  readonly event_type?: EventType | undefined
  readonly record_id?: string | undefined
  /** Text in the body. */
  readonly search?: string | undefined
}

const pathOf = (webhookId: string): string => `/webhooks/${encodeURIComponent(webhookId)}`

/** The newest first. `before` is the id of the delivery after which a page begins. */
export const listDeliveries = (
  webhookId: string,
  query: DeliveryFilter & { readonly before?: string | undefined; readonly limit?: number },
  signal?: AbortSignal,
): Promise<CursorPage<Delivery>> =>
  api.get<CursorPage<Delivery>>(`${pathOf(webhookId)}/deliveries`, { query: { limit: 50, ...query }, signal })

/** Success and latency of the last 24 hours. */
export const readStatistics = async (webhookId: string, signal?: AbortSignal): Promise<DeliveryStatistics> =>
  (await api.get<{ data: DeliveryStatistics }>(`${pathOf(webhookId)}/statistics`, { signal })).data

/** The event stream of deliveries. */
export const deliveriesStream = (webhookId: string): string => `${pathOf(webhookId)}/stream`

export const getDelivery = async (webhookId: string, id: string, signal?: AbortSignal): Promise<WholeDelivery> =>
  (await api.get<{ data: WholeDelivery }>(`${pathOf(webhookId)}/deliveries/${encodeURIComponent(id)}`, { signal })).data

/** Sends the same body with the same idempotency key again. */
export const redeliver = async (webhookId: string, id: string): Promise<Delivery> =>
  (await api.post<{ data: Delivery }>(`${pathOf(webhookId)}/deliveries/${id}/redeliver`)).data

/** Returns the number of deliveries that are sent again. */
export const replay = async (webhookId: string, input: ReplayInput): Promise<number> =>
  (await api.post<{ data: { redelivered: number } }>(`${pathOf(webhookId)}/replay`, { body: { data: input } })).data
    .redelivered

export const sendTest = async (webhookId: string, input: TestInput): Promise<Delivery> =>
  (await api.post<{ data: Delivery }>(`${pathOf(webhookId)}/test`, { body: { data: input } })).data
