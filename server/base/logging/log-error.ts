import { logLine } from './log-line'

/** Writes one line of JSON to the log: the message, the error, and `about` as further members. */
export function logError(
  message: string,
  error: unknown,
  about: Readonly<Record<string, string | undefined>> = {},
): void {
  const cause =
    error instanceof Error
      ? { error: error.message, code: errorCodeOf(error), stack: error.stack }
      : { error: String(error), code: errorCodeOf(error) }
  logLine('error', message, { ...about, ...cause })
}

/** Returns the code of an error of the driver or of PostgreSQL. */
export const errorCodeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && error.code !== undefined
    ? String(error.code)
    : undefined
