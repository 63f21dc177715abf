/** Entity tags. They name the version of an entity or a task, which each change of it raises, except refreshes of computed attributes. */

import { recordNotFound, versionConflict } from '#base/errors/records'
import type { RowMessage } from '#db/driver/row-messages'
import { POSITION, provenanceOf, type Row, versionOf } from '#engine/storage/layout'
import { parseProvenance, type Provenance, refreshesOf } from '#engine/storage/provenance'
import type { RequestContext } from '#context'
import type { RecordType } from '#engine/data-model/model'
import type { ApiError } from '#base/errors/api-error'
import { findMergedInto } from '#engine/storage/statements/merge-statements'

export const etagOf = (version: number): string => `"${version}"`

export const etagOfRow = (row: Row): string => etagOf(versionOf(row) - refreshesOf(provenanceOf(row)))

/** The same of a row as PostgreSQL sent it. */
export function etagOfMessage({ value }: RowMessage): string {
  const provenance = parseProvenance(value(POSITION.provenance) as string | null) // jsonb comes as text
  return etagOf((value(POSITION.version) as number) - refreshesOf(provenance)) // an int column, not null
}

export const ifMatch = (request: Request): string | null => request.headers.get('if-match')

interface Versioned {
  readonly version: number
  /** Of an entity. */
  readonly provenance?: Provenance | null
}

/** Refuses a write to a version that `If-Match` does not name. `*` and no header mean any version. Throws 412. */
export function requireMatch({ version, provenance = null }: Versioned, header: string | null): void {
  if (header === null || header.trim() === '*') return
  const accepted = header.split(',').map((tag) => tag.trim())
  if (!accepted.includes(etagOf(version - refreshesOf(provenance)))) throw versionConflict()
}

/** The 404 for the id of a record of an object. It names the record that the missing one was merged into, if any. */
export async function missingRecord({ db, model }: RequestContext, object: RecordType, id: string): Promise<ApiError> {
  return recordNotFound(id, await findMergedInto(db.sql, model, object, id))
}
