/** Errors of connected accounts. */

import { quoted, requestError } from './api-error'

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
