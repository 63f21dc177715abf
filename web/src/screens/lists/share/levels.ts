/** The access to a list, in words. */

import type { List } from '../../../state/data-model.svelte'

export type Level = NonNullable<List['workspace_access']>

/** `private` is a list without workspace access. */
export const WORKSPACE_LEVELS: readonly { value: Level | 'private'; label: string }[] = [
  { value: 'full-access', label: 'Full access' },
  { value: 'read-and-write', label: 'Can edit entries' },
  { value: 'read-only', label: 'Can view' },
  { value: 'private', label: "Only people it's shared with" },
]

export const MEMBER_LEVELS: readonly { value: Level | 'none'; label: string }[] = [
  { value: 'full-access', label: 'Full access' },
  { value: 'read-and-write', label: 'Can edit entries' },
  { value: 'read-only', label: 'Can view' },
  { value: 'none', label: 'Remove access' },
]
