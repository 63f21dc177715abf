/** The slugs that clients may choose. See docs/reference/objects-and-attributes.md (Slugs). */

/** Snake case, with hyphens allowed. A slug must not look like a UUID. */
export const SLUG_PATTERN = '^(?![0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$)[a-z][a-z0-9_-]{0,62}$'
