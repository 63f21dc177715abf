/** Reads the active and ended values of one attribute of one entity. See docs/reference/values.md (History). */

import type { RequestContext } from '../../context'
import { getAttribute, visibleAttributes } from '../../data-model/find'
import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import { attributeNotFound } from '../../errors/attributes'
import { invalidQuery } from '../../errors/http'
import { readActive, readAllValues } from '../../storage/history'
import { compileValues, visibleValues } from '../read/render'

export interface ValuesQuery {
  readonly show_historic?: boolean
  readonly limit?: number
  readonly offset?: number
}

/**
 * The values as the JSON text of an answer: the active ones in their order, or with ended ones, oldest first; undefined if
 * the entity does not exist. Throws 404 for the attribute, and 400 for the history of an attribute that has none.
 */
export async function listValues(
  { model, db }: RequestContext,
  entityType: EntityType,
  id: string,
  attributeName: string,
  query: ValuesQuery,
): Promise<string | undefined> {
  const attribute = getVisibleAttribute(model, entityType, attributeName)
  if (query.show_historic === true) requireHistory(attribute)
  const read = query.show_historic === true ? readAllValues : readActive
  const found = await read(db.sql, model, entityType, attribute, id)
  if (!found) return undefined
  const datedValues = visibleValues(attribute, found)
  const { offset = 0, limit = datedValues.length } = query
  return `{"data":${compileValues(attribute, model)(datedValues.slice(offset, offset + limit))}}`
}

/** An attribute named in a path. Throws 404 if it is archived or not visible to clients. */
export function getVisibleAttribute(model: DataModel, entityType: EntityType, slugOrId: string): Attribute {
  const attribute = getAttribute(entityType, slugOrId)
  if (attribute.stored_in !== 'entity' && !visibleAttributes(model, entityType).includes(attribute))
    throw attributeNotFound(slugOrId)
  return attribute
}

function requireHistory({ has_history, api_slug }: Attribute): void {
  if (has_history) return
  const message = `show_historic cannot be true for attribute "${api_slug}": enriched and communication-intelligence attributes keep no history`
  throw invalidQuery([{ code: 'invalid', path: ['show_historic'], message }])
}
