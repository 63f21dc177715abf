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

// The lines of the log are JSON. Warnings and errors go to standard error, what happens regularly to standard output.

const LEVELS = ['error', 'warning', 'info'] as const
type LogLevel = (typeof LEVELS)[number]
export const LOG_LEVELS: readonly LogLevel[] = LEVELS

let shown: ReadonlySet<LogLevel> = new Set(LEVELS)

/** From now on, the process writes no lines below this level. */
export function setLogLevel(level: LogLevel): void {
  shown = new Set(LEVELS.slice(0, LEVELS.indexOf(level) + 1))
}

/** Writes one line of JSON. A member that is undefined is left out. */
export function logLine(
  level: LogLevel,
  message: string,
  members: Readonly<Record<string, string | number | null | undefined>> = {},
): void {
  if (!shown.has(level)) return
  const line = JSON.stringify({ level, time: new Date().toISOString(), message, ...members })
  if (level === 'info') console.log(line)
  else console.error(line)
}
