/**
 * Lists the options of a select attribute, or the statuses of a status attribute, in their order.
 * See docs/reference/objects-and-attributes.md (Select options and statuses).
 */

import type { OptionKind } from '#engine/attribute-types/define'
import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { pageOf } from '#api/http/request/pagination'
import { optionsOf, getReadable, renderOption } from './option'
import type { OptionOutput, StatusOutput } from './schemas'
import type { ListQuery } from '#api/resources/attributes/schemas'

export function listOptions(
  { model }: RequestContext,
  find: FindEntityType,
  slugOrId: string,
  kind: OptionKind,
  query: ListQuery,
): (OptionOutput | StatusOutput)[] {
  const attribute = getReadable(model, find(model), slugOrId, kind)
  const options = optionsOf(attribute, kind).filter((option) => query.show_archived === true || !option.is_archived)
  return pageOf(options, query).map((option) => renderOption(model, attribute, option))
}
