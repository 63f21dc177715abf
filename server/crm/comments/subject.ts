/**
 * The subject of a thread: a record, or an entry with its parent record. Which callers may read it.
 * See docs/reference/comments.md (Access).
 */

import { listAccess, type ListCaller } from '#access/list-access/list-access'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import type { Scope } from '#vocabulary/scopes'
import { requireAllScopes } from '#base/errors/access'

export interface Subject {
  readonly object_id: string
  /** For an entry, its parent record. */
  readonly record_id: string
  /** Null for a record. */
  readonly list_id: string | null
  readonly entry_id: string | null
}

const OF_RECORDS: readonly Scope[] = ['object_configuration:read', 'record_permission:read']
const OF_ENTRIES: readonly Scope[] = ['list_configuration:read', 'list_entry:read']

/** Throws 403 without the scopes that reading a record, or an entry, requires. */
export function requireSubjectScopes({ scopes }: ListCaller, kind: 'record' | 'entry'): void {
  requireAllScopes(scopes, kind === 'entry' ? OF_ENTRIES : OF_RECORDS)
}

/** Whether the caller may see the subject: the object of the record, and for an entry its list. */
export function isVisibleSubject(
  caller: ListCaller,
  { object_id, list_id }: Pick<Subject, 'object_id' | 'list_id'>,
): boolean {
  if (isHiddenObjectId(caller.model, object_id)) return false
  if (list_id === null) return true
  const list = caller.model.entityTypesById.get(list_id)
  return list?.kind === 'list' && listAccess(caller, list) !== undefined
}
