/** Lists and reads attributes. See docs/reference/objects-and-attributes.md (Attributes). */

import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { isVisibleToClients } from '#engine/data-model/find'
import { pageOf } from '#api/http/request/pagination'
import { renderAttribute } from './render'
import type { AttributeOutput, ListQuery } from './schemas'
import { getListed } from './target'

/** Returns the attributes in display order, with archived ones if the query asks for them. */
export function listAttributes(
  { model }: RequestContext,
  entityType: FindEntityType,
  query: ListQuery,
): AttributeOutput[] {
  const attributes = entityType(model).attributes.filter(
    (attribute) => isVisibleToClients(model, attribute) && (query.show_archived === true || !attribute.is_archived),
  )
  return pageOf(attributes, query).map((attribute) => renderAttribute(model, attribute))
}

/** Returns an attribute, also an archived one. */
export const readAttribute = (
  { model }: RequestContext,
  entityType: FindEntityType,
  slugOrId: string,
): AttributeOutput => renderAttribute(model, getListed(model, entityType(model), slugOrId))
