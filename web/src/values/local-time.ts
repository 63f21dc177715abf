/** Instants as the reader's clock shows them, which is what `datetime-local` takes and gives. */

/** `2026-11-21T14:30:00` for an instant; empty for what is none. */
export function toLocalTime(instant: string): string {
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** The instant at which the reader's clock shows this. */
export function fromLocalTime(local: string): string {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? local : date.toISOString()
}
