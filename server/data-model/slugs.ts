/** Which slugs clients may give. Spec: resources 1 and 2. */

/** Snake case, hyphens allowed; nothing that reads as an id. */
export const SLUG_PATTERN = '^(?![0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$)[a-z][a-z0-9_-]{0,62}$'
