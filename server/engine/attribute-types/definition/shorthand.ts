/** Short forms of values. See docs/reference/values.md (Types at a glance). */

/** Whether a raw value is an object. Every full form is one. */
export const isObject = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw)

/** Converts a bare scalar to an object with this one member. */
export const scalarAs =
  (member: string) =>
  (raw: unknown): unknown =>
    typeof raw === 'object' ? raw : { [member]: raw }
