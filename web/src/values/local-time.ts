/** Instants in the time zone of the browser, in the format of `datetime-local` inputs. */

import { readDate } from '#vocabulary/written-values'

/** The name of the time zone. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The local time of an instant, such as `2026-11-21T14:30`, with seconds unless they are 0; empty for an invalid one. */
export function toLocalTime(instant: string): string {
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace(/:00$/, '')
}

/** Whether a local time has seconds. The input shows none otherwise. */
export const hasSeconds = (local: string): boolean => /:\d\d:\d\d$/.test(local)

/** The instant of a local time. */
export function fromLocalTime(local: string): string {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? local : date.toISOString()
}

/** Reads the text of a cell to an instant in ISO 8601. A text without a time is the beginning of a day. */
export function readInstant(text: string): string | undefined {
  const trimmed = text.trim()
  const written = /\d:\d\d/.test(trimmed) ? trimmed : `${readDate(trimmed)?.slice(0, 10)}T00:00:00`
  const date = new Date(written)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
