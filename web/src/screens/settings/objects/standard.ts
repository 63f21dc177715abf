/**
 * The slugs of the standard objects, which cannot be changed.
 * See docs/reference/objects-and-attributes.md (Standard objects).
 */
const STANDARD: ReadonlySet<string | null> = new Set(['people', 'companies', 'deals', 'users', 'workspaces'])

export const isStandard = (slug: string | null): boolean => STANDARD.has(slug)
