/** The record or entry that a path names by its id. */

import { isUuid } from '../../attribute-types/formats/uuids'
import type { RequestContext } from '../../context'
import type { ApiError } from '../../errors/api-error'
import { invalidRequest } from '../../errors/http'
import { recordNotFound } from '../../errors/records'

export const recordIdOf = (text: string): string => pathId('Record', text)
export const entryIdOf = (text: string): string => pathId('Entry', text)

/** In lower case. Throws 400 when it is not a UUID. See docs/reference/records.md. */
function pathId(kind: string, text: string): string {
  if (!isUuid(text)) throw invalidRequest(`${kind} ID "${text}" is not a UUID.`)
  return text.toLowerCase()
}

/** The 404 for a record id, naming the record that it was merged into, if it was. */
export async function missingRecord(context: RequestContext, id: string): Promise<ApiError> {
  const query = `select new_id from ${context.model.schema}.merges where old_id = $1`
  const [row] = await context.db.sql.unsafe<{ new_id: string }[]>(query, [id])
  return recordNotFound(id, row?.new_id)
}
