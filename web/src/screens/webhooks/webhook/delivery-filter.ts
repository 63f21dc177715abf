/** Which deliveries are looked at, as the address of the page has it. */

import type { Delivery, DeliveryFilter, DeliveryStatus } from '../../../api/webhooks/deliveries'
import { isEventType } from '../event-types'

export const STATUS_CHOICES: readonly { readonly value: DeliveryStatus | ''; readonly label: string }[] = [
  { value: '', label: 'Any outcome' },
  { value: 'waiting', label: 'Pending' },
  { value: 'succeeded', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
  { value: 'dropped', label: 'Dropped' },
]

const isStatus = (text: string | null): text is DeliveryStatus =>
  text !== null && STATUS_CHOICES.some(({ value }) => value === text && value !== '')

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** What is no filter of ours is left out. */
export function filterIn(search: URLSearchParams): DeliveryFilter {
  const [status, event] = [search.get('status'), search.get('event')]
  const [record, text] = [search.get('record')?.trim() ?? '', search.get('search') ?? '']
  return {
    ...(isStatus(status) && { status }),
    ...(isEventType(event) && { event_type: event }),
    ...(UUID.test(record) && { record_id: record }),
    ...(text !== '' && { search: text.slice(0, 256) }),
  }
}

/** Undefined when only the service can tell, because a body is searched. */
export function isWanted(filter: DeliveryFilter, delivery: Delivery): boolean | undefined {
  const { status, event_type, record_id, search } = filter
  const isOut =
    (status !== undefined && delivery.status !== status) ||
    (event_type !== undefined && delivery.event_type !== event_type) ||
    (record_id !== undefined && delivery.record_id?.toLowerCase() !== record_id.toLowerCase())
  if (isOut) return false
  return search === undefined ? true : undefined
}
