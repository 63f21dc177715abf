/** Errors of connected accounts. */

import { ApiError, quoted, requestError } from './api-error'
import { rateLimited } from './http'

interface Problem {
  readonly code: string
  readonly message: string
  /** What the server said. */
  readonly answer: string | null
}

export const accountNotFound = (id: string) =>
  requestError(404, 'not_found', `Connected account with ID ${quoted(id)} was not found.`)

export const connectionFailed = ({ code, message, answer }: Problem) =>
  requestError(400, 'connection_failed', answer === null ? message : `${message} It said: ${answer}`, {
    problem: code,
    answer,
  })

export const accountConnected = (address: string) =>
  requestError(409, 'account_connected', `${quoted(address)} is connected already.`)

export const tooManyAccounts = (limit: number) =>
  requestError(409, 'too_many_accounts', `A member can connect at most ${limit} accounts. Remove one first.`)

export const signInNotFound = () =>
  requestError(
    400,
    'sign_in_not_found',
    'This sign-in was started elsewhere, or more than 15 minutes ago. Start again.',
  )

/** Errors of sending email. */
export const sendingNotPermitted = () =>
  new ApiError(403, 'auth_error', 'unauthorized', 'Members of this workspace cannot have connected accounts.')

export const noSendingAccount = (from: string | undefined) =>
  requestError(
    400,
    'value_not_found',
    from === undefined
      ? 'None of your connected accounts sends email. Connect one with an SMTP server.'
      : `None of your connected accounts sends email from ${quoted(from)}.`,
  )

export const recipientsUnsubscribed = (addresses: readonly string[]) =>
  requestError(400, 'recipient_unsubscribed', `Unsubscribed addresses get no email: ${addresses.join(', ')}.`, {
    email_addresses: addresses,
  })

export const sendLimitReached = (limit: number, retryAfter: Date) =>
  rateLimited(retryAfter, `The emails of an account can have at most ${limit} recipients in an hour.`)

export const sentEmailNotFound = (id: string) =>
  requestError(404, 'not_found', `Sent email with ID ${quoted(id)} was not found.`)

export const templateNotFound = (id: string) =>
  requestError(404, 'not_found', `Template with ID ${quoted(id)} was not found.`)

/** For a template that a body names. */
export const unknownTemplate = (id: string) =>
  requestError(400, 'value_not_found', `Template with ID ${quoted(id)} was not found.`)

export const tooManyTemplates = (limit: number) =>
  requestError(409, 'too_many_templates', `A workspace can have at most ${limit} templates. Delete one first.`)
