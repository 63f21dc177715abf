/** The status of a webhook as text. See docs/reference/webhooks-and-events.md (The status of a webhook). */

import type { DeliveryStatistics } from '../../../api/webhooks/deliveries'
import { numberText } from '../../../values/formats'
import { successShare } from '../webhook/figures'
import { formatDay } from '../../../components/display/times'
import type { Webhook } from '../../../api/webhooks/webhooks'
import { LOCALE } from '../../../language'

interface StatusText {
  readonly label: string
  readonly tone: 'success' | 'warning' | 'danger'
  /** The reason and what to do; undefined for an active webhook. */
  readonly why: string | undefined
}

export function statusOf({ status, degraded_at }: Pick<Webhook, 'status' | 'degraded_at'>): StatusText {
  if (status === 'active') return { label: 'Active', tone: 'success', why: undefined }
  const since = degraded_at ? ` since ${formatDay(degraded_at)}` : ''
  if (status === 'degraded') {
    const why = `Deliveries have been failing${since}. The webhook is disabled after seven days of failures.`
    return { label: 'Degraded', tone: 'warning', why }
  }
  if (!degraded_at) return { label: 'Paused', tone: 'warning', why: 'No events are sent until you resume it.' }
  const why = `Disabled after seven days of failures${since}. No events are sent until you resume it.`
  return { label: 'Disabled', tone: 'danger', why }
}

/** The outcome of the last 24 hours: "99.5% of 1,204 succeeded in 24 hours". */
export function healthText(statistics: DeliveryStatistics): string {
  const share = successShare(statistics)
  if (share === null) return 'No attempts in 24 hours'
  return `${shares.format(share)} of ${numberText(statistics.attempts)} succeeded in 24 hours`
}

const shares = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 })

/** The app or API key that owns a webhook and alone can change it; undefined for other webhooks. */
export function ownerOf({ owner }: Webhook): string | undefined {
  if (owner === undefined || owner.type === 'workspace') return undefined
  const kind = owner.type === 'app' ? 'app' : 'API key'
  return owner.name === null ? `a deleted ${kind}` : `the ${kind} “${owner.name}”`
}
