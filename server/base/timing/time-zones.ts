/** IANA names are shorter. */
const MAX_NAME = 64
/** `Temporal` also takes offsets and whole timestamps for names. */
const NAME = /^[a-z][a-z0-9_+/-]*$/i

/** Returns the canonical name of an IANA time zone; undefined for a text that names none. */
export function findTimezone(name: string): string | undefined {
  if (name.length > MAX_NAME || !NAME.test(name)) return undefined
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId
  } catch {
    return undefined // RangeError for an unknown name
  }
}
