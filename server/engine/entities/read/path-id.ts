/** Parses the id of a record or entry in a path. */

import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { RequestContext } from '#context'
import type { ObjectType } from '#engine/data-model/model'
import { type ApiError } from '#base/errors/api-error'
import { invalidRequest } from '#base/errors/http'
import { recordNotFound } from '#base/errors/records'
import { findMergedInto } from '#engine/storage/statements/merge-statements'

export const recordIdOf = (text: string): string => pathId('Record', text)
export const entryIdOf = (text: string): string => pathId('Entry', text)

/** In lower case. Throws 400 when it is not a UUID. See docs/reference/records.md. */
function pathId(kind: string, text: string): string {
  if (!isUuid(text)) throw invalidRequest(`${kind} ID "${text}" is not a UUID.`)
  return text.toLowerCase()
}

/** The 404 for the id of a record of an object. It names the record that the missing one was merged into, if any. */
export async function missingRecord({ db, model }: RequestContext, object: ObjectType, id: string): Promise<ApiError> {
  return recordNotFound(id, await findMergedInto(db.sql, model, object, id))
}
