/** The filter of deliveries in the URL of the page. */

import type { Delivery, DeliveryFilter, DeliveryStatus } from '../../../api/webhooks/deliveries'
import { isWebhookEventType } from '#vocabulary/event-types'

export const STATUS_OPTIONS: readonly { readonly value: DeliveryStatus | ''; readonly label: string }[] = [
  { value: '', label: 'Any outcome' },
  { value: 'waiting', label: 'Pending' },
  { value: 'succeeded', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
  { value: 'dropped', label: 'Dropped' },
]

const isStatus = (text: string | null): text is DeliveryStatus =>
  text !== null && STATUS_OPTIONS.some(({ value }) => value === text && value !== '')

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Invalid parameters are ignored. */
export function filterIn(search: URLSearchParams): DeliveryFilter {
  const [status, event] = [search.get('status'), search.get('event')]
  const [record, text] = [search.get('record')?.trim() ?? '', search.get('search') ?? '']
  return {
    ...(isStatus(status) && { status }),
    ...(event !== null && isWebhookEventType(event) && { event_type: event }),
    ...(UUID.test(record) && { record_id: record }),
    ...(text !== '' && { search: text.slice(0, 256) }),
  }
}

/** Whether a delivery matches the filter; undefined for a search in bodies, which only the service does. */
export function matchesFilter(filter: DeliveryFilter, delivery: Delivery): boolean | undefined {
  const { status, event_type, record_id, search } = filter
  const isExcluded =
    (status !== undefined && delivery.status !== status) ||
    (event_type !== undefined && delivery.event_type !== event_type) ||
    (record_id !== undefined && delivery.record_id?.toLowerCase() !== record_id.toLowerCase())
  if (isExcluded) return false
  return search === undefined ? true : undefined
}
