/** Reading attributes. Spec: resources 2. */

import type { FindOwner } from '../../access/entity-type-path'
import type { Call } from '../../call'
import { isListed } from '../../data-model/find'
import { pageOf } from '../../http/request/pagination'
import { renderAttribute } from './render'
import type { AttributeOutput, ListQuery } from './schemas'
import { getListed } from './target'

/** In display order; archived ones on demand. */
export function listAttributes({ model }: Call, owner: FindOwner, query: ListQuery): AttributeOutput[] {
  const attributes = owner(model).attributes.filter(
    (attribute) => isListed(model, attribute) && (query.show_archived === true || !attribute.is_archived),
  )
  return pageOf(attributes, query).map((attribute) => renderAttribute(model, attribute))
}

/** Archived ones are still answered. */
export const readAttribute = ({ model }: Call, owner: FindOwner, slugOrId: string): AttributeOutput =>
  renderAttribute(model, getListed(model, owner(model), slugOrId))
