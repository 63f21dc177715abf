/** Why an attempt failed and what to do about it, in plain words. */

import type { Delivery } from '../../../api/deliveries'

type ShortAttempt = Delivery['attempts'][number]

const STATUSES: Readonly<Record<number, string>> = {
  400: 'The receiver did not understand the request. Check that it reads the body as JSON.',
  401: 'The receiver wants credentials. Webhooks are checked by their signature instead: let this address through.',
  403: 'The receiver refused. It may check the signature with another secret, or a firewall stands before it.',
  404: 'Nothing is at this path of the receiver. Check the target address.',
  405: 'The receiver takes no POST at this path.',
  408: 'The receiver gave up waiting for the request.',
  410: 'The receiver says that this address is gone, so this message is not tried again.',
  413: 'The receiver finds the request too large.',
  415: 'The receiver does not take JSON here.',
  429: 'The receiver wants fewer requests. It is asked again when it says so.',
  500: 'The receiver met an error of its own. Its log of that moment says more.',
  502: 'What stands before the receiver got no proper answer from it.',
  503: 'The receiver is not available at the moment.',
  504: 'What stands before the receiver waited too long for it.',
}

/** What came of an attempt, in a sentence. */
export function outcomeOf({ status_code, error }: ShortAttempt): string {
  if (error !== null) return error.message
  if (status_code === null) return 'There was no answer.'
  const known = STATUSES[status_code]
  if (known !== undefined) return known
  if (status_code < 200) return 'The receiver never finished its answer.'
  if (status_code < 300) return 'The receiver took it.'
  if (status_code < 400) return 'The receiver sends elsewhere. Redirects are not followed: use the final address.'
  return status_code < 500 ? 'The receiver refused the request.' : 'The receiver, or what stands before it, failed.'
}

export const hasSucceeded = ({ status_code, error }: ShortAttempt): boolean =>
  error === null && status_code !== null && status_code >= 200 && status_code < 300

/** "500", or what kept an answer from coming, in a word or two. */
export function codeOf({ status_code, error }: ShortAttempt): string {
  if (error === null) return String(status_code ?? '–')
  return PROBLEMS[error.code] ?? error.code
}

const PROBLEMS: Readonly<Record<string, string>> = {
  refused_target: 'Not allowed',
  unknown_host: 'Unknown host',
  no_connection: 'No connection',
  bad_certificate: 'Certificate',
  timed_out: 'Too slow',
  broken_off: 'Broken off',
}

type Tone = 'success' | 'warning' | 'danger' | 'plain'

/** What became of a delivery so far. */
export function stateOf({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>): { label: string; tone: Tone } {
  if (status === 'succeeded') return { label: 'Delivered', tone: 'success' }
  if (status === 'failed') return { label: 'Given up', tone: 'danger' }
  if (status === 'dropped') return { label: 'Dropped', tone: 'plain' }
  const last = attempts.at(-1)
  return last === undefined || hasSucceeded(last)
    ? { label: 'Waiting', tone: 'plain' }
    : { label: 'Failing', tone: 'warning' }
}

const DROPPED = 'It was not sent any more, because the webhook was switched off.'
const GIVEN_UP = 'It is not tried again by itself. Resend it when the receiver works.'

/** What happens next, for one that is not delivered; undefined when nothing needs to be said. */
export function fateOf({ status }: Pick<Delivery, 'status'>): string | undefined {
  if (status === 'dropped') return DROPPED
  return status === 'failed' ? GIVEN_UP : undefined
}
