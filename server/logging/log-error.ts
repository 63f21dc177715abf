/** One line of JSON for those who run the service: what could not be done, why, and what else helps to find it. */
export function logError(
  message: string,
  error: unknown,
  about: Readonly<Record<string, string | undefined>> = {},
): void {
  const cause =
    error instanceof Error
      ? { error: error.message, code: errorCodeOf(error), stack: error.stack }
      : { error: String(error), code: errorCodeOf(error) }
  console.error(JSON.stringify({ level: 'error', time: new Date().toISOString(), message, ...about, ...cause }))
}

/** The code that drivers and PostgreSQL give their errors. */
export const errorCodeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && error.code !== undefined
    ? String(error.code)
    : undefined
