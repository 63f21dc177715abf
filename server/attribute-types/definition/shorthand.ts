/** Short forms of values. See docs/reference/values.md (Types at a glance). */

/** Whether a raw value is an object, as every full form is. */
export const isObject = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw)

/** A bare scalar stands for an object with this one member. */
export const scalarAs =
  (member: string) =>
  (raw: unknown): unknown =>
    typeof raw === 'object' ? raw : { [member]: raw }
