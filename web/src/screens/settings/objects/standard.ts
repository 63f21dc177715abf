/**
 * The objects that every workspace knows, by their slugs, which are fixed.
 * See docs/reference/objects-and-attributes.md (Standard objects).
 */
const STANDARD: ReadonlySet<string | null> = new Set(['people', 'companies', 'deals', 'users', 'workspaces'])

export const isStandard = (slug: string | null): boolean => STANDARD.has(slug)
