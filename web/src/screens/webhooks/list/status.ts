/** The states of webhooks in words. See docs/reference/webhooks-and-events.md (The status of a webhook). */

import { formatDay } from '../../../components/display/times'
import type { Webhook } from '../../../api/webhooks/webhooks'

interface StatusWords {
  readonly label: string
  readonly tone: 'success' | 'warning' | 'danger'
  /** Why, and what to do; nothing to say of one that works. */
  readonly why: string | undefined
}

export function statusOf({ status, degraded_at }: Pick<Webhook, 'status' | 'degraded_at'>): StatusWords {
  if (status === 'active') return { label: 'Active', tone: 'success', why: undefined }
  const since = degraded_at ? ` since ${formatDay(degraded_at)}` : ''
  if (status === 'degraded') {
    const why = `Deliveries have been failing${since}. The webhook is disabled after seven days of failures.`
    return { label: 'Degraded', tone: 'warning', why }
  }
  const why = `Disabled after seven days of failures${since}. No events are sent until you enable it.`
  return { label: 'Disabled', tone: 'danger', why }
}

/** Whose it is, for one that only its app or key may change. */
export function ownerOf({ owner }: Webhook): string | undefined {
  if (owner === undefined || owner.type === 'workspace') return undefined
  const kind = owner.type === 'app' ? 'app' : 'API key'
  return owner.name === null ? `a deleted ${kind}` : `the ${kind} “${owner.name}”`
}
