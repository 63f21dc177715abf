import type { Call } from '../../call'
import { getAttribute, getObject, visibleAttributes } from '../../data-model/find'
import type { Attribute, DataModel, Owner } from '../../data-model/model'
import { attributeNotFound, invalidQuery } from '../../errors'
import { attempt } from '../../values/attempt'
import { readActive, readAllVersions } from '../../values/history'
import { compileVersions } from '../../values/render'
import { missingRecord, recordIdOf } from './find'

export interface ValuesPath {
  readonly object: string
  readonly recordId: string
  readonly attribute: string
}

export interface ValuesQuery {
  readonly show_historic?: boolean
  readonly limit?: number
  readonly offset?: number
}

/**
 * The values of one attribute of a record as JSON text: the active ones in their order, or all it ever had, oldest first.
 * Throws 404 for object, record and attribute, 400 for the history of an attribute that keeps none. Spec: values 7.
 */
export const listRecordValues = (call: Call, path: ValuesPath, query: ValuesQuery): Promise<string> =>
  attempt(call, async (call) => {
    const { model } = call
    const owner = getObject(model, path.object)
    const id = recordIdOf(path.recordId)
    const attribute = getVisibleAttribute(model, owner, path.attribute)
    if (query.show_historic === true) requireHistory(attribute)
    const read = query.show_historic === true ? readAllVersions : readActive
    const versions = await read(call.db.sql, model, owner, attribute, id)
    if (!versions) throw await missingRecord(call, id)
    const { offset = 0, limit = versions.length } = query
    return `{"data":${compileVersions(attribute, model)(versions.slice(offset, offset + limit))}}`
  })

/** An attribute named in a path, unless it is archived or otherwise out of sight. */
export function getVisibleAttribute(model: DataModel, owner: Owner, slugOrId: string): Attribute {
  const attribute = getAttribute(owner, slugOrId)
  if (attribute.stored_in !== 'holder' && !visibleAttributes(model, owner).includes(attribute))
    throw attributeNotFound(slugOrId)
  return attribute
}

function requireHistory({ has_history, api_slug }: Attribute): void {
  if (has_history) return
  const message = `show_historic cannot be true for attribute "${api_slug}": enriched and communication-intelligence attributes keep no history`
  throw invalidQuery([{ code: 'invalid', path: ['show_historic'], message }])
}
