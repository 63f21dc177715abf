/** Entity tags: which version of an entity a client has seen. They change whenever the entity's own values do. */

import { versionConflict } from '../../errors/errors'
import { type Row, versionOf } from '../../storage/layout'
import type { StoredEntity } from '../../storage/read-entities'

export const etagOf = (version: number): string => `"${version}"`

export const etagOfRow = (row: Row): string => etagOf(versionOf(row))

/** Refuses a write to a version other than the one `If-Match` names. `*` and no header mean any. Throws 412. */
export function requireMatch(entity: StoredEntity, ifMatch: string | null): void {
  if (ifMatch === null || ifMatch.trim() === '*') return
  const accepted = ifMatch.split(',').map((tag) => tag.trim())
  if (!accepted.includes(etagOf(entity.version))) throw versionConflict()
}
