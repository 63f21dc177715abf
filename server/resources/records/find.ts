/** Finding the record that a path names. */

import type { Call } from '../../call'
import { type ApiError, invalidRequest, recordNotFound, versionConflict } from '../../errors'
import type { HeldHolder } from '../../values/read'
import { etagOf } from './render'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A record id from a path, in lower case. Throws 400 when it is not a UUID. Spec: resources, top. */
export function recordIdOf(text: string): string {
  const id = text.toLowerCase()
  if (!UUID.test(id)) throw invalidRequest(`Record ID "${text}" is not a UUID.`)
  return id
}

/** The 404 for a record id, naming the record that it was merged into, if it was. */
export async function missingRecord(call: Call, id: string): Promise<ApiError> {
  const query = `select new_id from ${call.model.schema}.merges where old_id = $1`
  const [row] = await call.db.sql.unsafe<{ new_id: string }[]>(query, [id])
  return recordNotFound(id, row?.new_id)
}

/** Refuses a write to a version other than the one `If-Match` names. `*` and no header mean any. Throws 412. */
export function requireMatch(holder: HeldHolder, ifMatch: string | null): void {
  if (ifMatch === null || ifMatch.trim() === '*') return
  const accepted = ifMatch.split(',').map((tag) => tag.trim())
  if (!accepted.includes(etagOf(holder.version))) throw versionConflict()
}
