/** Webhooks and URLs as titles. */

import type { Webhook } from '../../api/webhooks/webhooks'

const MAX_LENGTH = 38

/** The URL without its scheme, and a long one without its middle. */
export function shortTarget(url: string): string {
  const short = url.replace(/^https?:\/\//, '').replace(/\/$/, '')
  return short.length <= MAX_LENGTH ? short : `${short.slice(0, MAX_LENGTH - 13)}…${short.slice(-12)}`
}

/** The name of a webhook, or its target. */
export const titleOf = ({ name, target_url }: Pick<Webhook, 'name' | 'target_url'>): string =>
  name ?? shortTarget(target_url)
