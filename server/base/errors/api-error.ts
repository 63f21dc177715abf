/** The class of all errors that a client can meet, and the parts of their bodies. Only `http/` turns them into responses. */

import { excerpt } from '#base/text/csv-line'

export type ErrorType = 'invalid_request_error' | 'auth_error' | 'rate_limit_error' | 'api_error'

/** One problem found in a body, a query string or a single value. `path` starts at the root of what was validated. */
export interface ValidationIssue {
  code: 'invalid_type' | 'invalid_option' | 'invalid_string' | 'too_small' | 'too_big' | 'invalid'
  path: (string | number)[]
  message: string
  did_you_mean?: string
  [member: string]: unknown
}

/** An error as the client receives it. `extra` holds further members of the body, `headers` those of the response. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly type: ErrorType,
    readonly code: string,
    message: string,
    readonly extra: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

/** The error itself if it is for the client. Throws any other one. */
export function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}

/** A value that does not fit its attribute. Paths are relative to the value. `entities/` makes an `ApiError` of it. */
export class InvalidValue extends Error {
  constructor(readonly issues: ValidationIssue[]) {
    super(issues[0]?.message ?? 'Invalid input')
  }
}

export const invalidValue = (message: string, path: (string | number)[] = []) =>
  new InvalidValue([{ code: 'invalid', path, message }])

export const requestError = (status: number, code: string, message: string, extra?: Record<string, unknown>) =>
  new ApiError(status, 'invalid_request_error', code, message, extra)

export const quoted = (text: string) => `"${excerpt(text)}"`

/**
 * Adds the path and message of the first issue, for clients that show only `message`.
 * See docs/reference/errors-and-limits.md (Validation errors).
 */
export function withFirstIssue(message: string, issues: ValidationIssue[]): string {
  const first = issues[0]
  if (!first) return message
  return `${message} (${first.path.length > 0 ? `${first.path.join('.')}: ` : ''}${first.message})`
}

/** A response names at most this number of issues. */
export const MAX_ISSUES = 100

export const firstOf = (issues: ValidationIssue[]) => ({ validation_errors: issues.slice(0, MAX_ISSUES) })

export const suggestion = (didYouMean?: string): Record<string, unknown> =>
  didYouMean === undefined ? {} : { did_you_mean: didYouMean }

/** Formats a date as an HTTP date, which has whole seconds, rounded up. */
export const wholeSeconds = (date: Date): string => new Date(Math.ceil(date.getTime() / 1000) * 1000).toUTCString()
