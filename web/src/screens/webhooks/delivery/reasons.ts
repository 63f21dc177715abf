/** The outcomes of attempts and deliveries as text, with what to do about a failure. */

import type { Delivery } from '../../../api/webhooks/deliveries'

type ShortAttempt = Delivery['attempts'][number]

const STATUSES: Readonly<Record<number, string>> = {
  400: 'The receiver rejected the request as malformed. Check that it reads the body as JSON.',
  401: 'The receiver requires credentials. Allow requests to this URL and verify the signature instead.',
  403: 'The receiver denied the request. It may verify the signature with another secret, or a firewall blocked it.',
  404: 'The receiver has nothing at this path. Check the target URL.',
  405: "The receiver doesn't accept POST requests at this path.",
  408: 'The receiver timed out waiting for the request.',
  410: "The receiver says this URL no longer exists. This delivery won't be retried.",
  413: 'The receiver says the request is too large.',
  415: "The receiver doesn't accept JSON here.",
  429: 'The receiver is rate limiting requests. The next attempt follows its Retry-After header.',
  500: 'The receiver returned a server error. Check its logs.',
  502: 'A proxy got an invalid response from the receiver.',
  503: 'The receiver is temporarily unavailable.',
  504: 'A proxy timed out waiting for the receiver.',
}

/** The outcome of an attempt, in a sentence. */
export function outcomeOf({ status_code, error }: ShortAttempt): string {
  if (error !== null) return error.message
  if (status_code === null) return 'No response'
  const text = STATUSES[status_code]
  if (text !== undefined) return text
  if (status_code < 200) return "The receiver didn't complete its response."
  if (status_code < 300) return 'Delivered'
  if (status_code < 400) return "The receiver redirected. Redirects aren't followed: use the final URL."
  return status_code < 500 ? 'The receiver rejected the request.' : 'The receiver or a proxy failed.'
}

export const hasSucceeded = ({ status_code, error }: ShortAttempt): boolean =>
  error === null && status_code !== null && status_code >= 200 && status_code < 300

/** The status code, such as "500", or a short reason for a missing response. */
export function codeOf({ status_code, error }: ShortAttempt): string {
  if (error === null) return String(status_code ?? '–')
  return PROBLEMS[error.code] ?? error.code
}

const PROBLEMS: Readonly<Record<string, string>> = {
  refused_target: 'Not allowed',
  unknown_host: 'Unknown host',
  no_connection: 'No connection',
  bad_certificate: 'Invalid certificate',
  timed_out: 'Timed out',
  broken_off: 'Connection closed',
}

type Tone = 'success' | 'warning' | 'danger' | 'plain'

/** The state of a delivery. */
export function stateOf({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>): { label: string; tone: Tone } {
  if (status === 'succeeded') return { label: 'Delivered', tone: 'success' }
  if (status === 'failed') return { label: 'Failed', tone: 'danger' }
  if (status === 'dropped') return { label: 'Dropped', tone: 'plain' }
  const last = attempts.at(-1)
  return last === undefined || hasSucceeded(last)
    ? { label: 'Pending', tone: 'plain' }
    : { label: 'Retrying', tone: 'warning' }
}

const DROPPED = 'Not sent because the webhook was disabled, or may no longer receive this event.'
const FAILED = "It won't be retried automatically. Resend it once the receiver works."

/** What happens next with a failed or dropped delivery; undefined for other deliveries. */
export function adviceOn({ status }: Pick<Delivery, 'status'>): string | undefined {
  if (status === 'dropped') return DROPPED
  return status === 'failed' ? FAILED : undefined
}
