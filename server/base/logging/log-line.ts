/** The lines of the log that are JSON. Warnings and errors go to standard error, what happens regularly to standard output. */

const LEVELS = ['error', 'warning', 'info'] as const
export type LogLevel = (typeof LEVELS)[number]
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
