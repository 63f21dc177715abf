/**
 * The slugs of the standard objects, which cannot be changed.
 * See docs/reference/objects-and-attributes.md (Standard objects).
 */

import type { RecordType } from '../../../state/data-model.svelte'

const STANDARD: ReadonlySet<string | null> = new Set(['people', 'companies', 'deals', 'users', 'workspaces'])

/** Whether it is a standard object or a system activity, which can be renamed but not deleted. */
export const isStandard = (type: RecordType): boolean =>
  'extends' in type ? type.is_system_activity : STANDARD.has(type.api_slug)
