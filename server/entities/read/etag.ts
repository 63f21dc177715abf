/** Entity tags. They name the version of an entity, which each change of its stored values raises. */

import { versionConflict } from '../../errors/records'
import { type Row, versionOf } from '../../storage/layout'
import type { StoredEntity } from '../../storage/read-entities'

export const etagOf = (version: number): string => `"${version}"`

export const etagOfRow = (row: Row): string => etagOf(versionOf(row))

/** Refuses a write to a version that `If-Match` does not name. `*` and no header mean any version. Throws 412. */
export function requireMatch(entity: Pick<StoredEntity, 'version'>, ifMatch: string | null): void {
  if (ifMatch === null || ifMatch.trim() === '*') return
  const accepted = ifMatch.split(',').map((tag) => tag.trim())
  if (!accepted.includes(etagOf(entity.version))) throw versionConflict()
}
