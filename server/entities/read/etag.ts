/** Entity tags. They name the version of an entity or a task, which each change of it raises. */

import { versionConflict } from '../../errors/records'
import { type Row, versionOf } from '../../storage/layout'

export const etagOf = (version: number): string => `"${version}"`

export const etagOfRow = (row: Row): string => etagOf(versionOf(row))

export const ifMatch = (request: Request): string | null => request.headers.get('if-match')

/** Refuses a write to a version that `If-Match` does not name. `*` and no header mean any version. Throws 412. */
export function requireMatch(stored: { readonly version: number }, header: string | null): void {
  if (header === null || header.trim() === '*') return
  const accepted = header.split(',').map((tag) => tag.trim())
  if (!accepted.includes(etagOf(stored.version))) throw versionConflict()
}
