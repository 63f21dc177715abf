/** Short forms of values. See docs/reference/values.md (Types at a glance). */

/** Converts a bare scalar to an object with this one member. */
export const scalarAs =
  (member: string) =>
  (raw: unknown): unknown =>
    typeof raw === 'object' ? raw : { [member]: raw }
