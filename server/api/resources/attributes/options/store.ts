/** The rows of options and statuses. */

import type { ModelChange } from '#engine/data-model/change-model'
import type { Attribute, Option } from '#engine/data-model/model'
import type { OptionKind } from '#engine/attribute-types/define'
import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { limitOffsetOf } from '#api/http/request/pagination'
import { getReadable, optionsOf, renderOption } from './option'
import type { OptionOutput, StatusOutput } from './schemas'
import type { ListQuery } from '#api/resources/attributes/schemas'

/** A new option, after all others. */
export async function insertOption(
  { control, model }: ModelChange,
  attribute: Attribute,
  option: Option,
  created_at: string,
): Promise<void> {
  const place = { workspace_id: model.workspace.id, attribute_id: attribute.id, position: option.number }
  await control
    .insertInto('relata.options')
    .values({ ...option, ...place, created_at })
    .execute()
}

export type OptionMembers = Partial<Omit<Option, 'id' | 'number'>>

export async function saveOption(
  { control, model }: ModelChange,
  option: Option,
  members: OptionMembers,
): Promise<void> {
  await control
    .updateTable('relata.options')
    .set(members)
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', option.id)
    .execute()
}

/**
 * Lists the options of a select attribute, or the statuses of a status attribute, in their order.
 * See docs/reference/objects-and-attributes.md (Select options and statuses).
 */
export function listOptions(
  { model }: RequestContext,
  find: FindEntityType,
  slugOrId: string,
  kind: OptionKind,
  query: ListQuery,
): (OptionOutput | StatusOutput)[] {
  const attribute = getReadable(model, find(model), slugOrId, kind)
  const options = optionsOf(attribute, kind).filter((option) => query.show_archived === true || !option.is_archived)
  return limitOffsetOf(options, query).map((option) => renderOption(model, attribute, option))
}
