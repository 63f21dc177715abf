/** Errors of the service that screens can show. */

import { textOfService } from './service-texts'

export interface ValidationIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
  /** The character of a formula at which the error is, counted from one. */
  readonly position?: number | undefined
}

/** Further members of some errors. */
export interface ErrorDetails {
  /** The character of the query at which the error is, counted from one. */
  readonly position?: number | undefined
  readonly hint?: string | undefined
  /** The record that a merge made of the one that was not found. */
  readonly merged_into?: string | undefined
  /** The address of the service to which the workspace has moved. */
  readonly moved_to?: string | undefined
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly issues: readonly ValidationIssue[] = [],
    readonly details: ErrorDetails = {},
  ) {
    super(message)
  }

  get isForbidden(): boolean {
    return this.status === 403
  }

  get isNotFound(): boolean {
    return this.status === 404
  }

  /** A retry would get the same response. */
  get isClientError(): boolean {
    return this.status >= 400 && this.status < 500
  }

  /** The message of one member of `data`, which is shown at its field. */
  issueOf(member: string): string | undefined {
    return this.issues.find(({ path }) => path.includes(member))?.message
  }
}

/** The error of a request without a response. */
export const unreachable = () =>
  new ApiError(0, 'unreachable', "Can't reach the server. Check your connection and try again.")

/** Reads the error envelope. A response without one comes from a proxy before the service. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  if (typeof body !== 'object' || body === null || !('message' in body)) {
    return new ApiError(
      response.status,
      'unknown',
      `The server returned an error (${response.status}). Try again in a moment.`,
    )
  }
  const { code, message, validation_errors, ...details } = body as ErrorDetails & {
    code?: string
    message: string
    validation_errors?: ValidationIssue[]
  } // the error envelope of the service
  return new ApiError(response.status, code ?? 'unknown', textOfService(message), validation_errors ?? [], details)
}

export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, 'unknown', error instanceof Error ? error.message : String(error))
