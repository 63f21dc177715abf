/** The rows of options and statuses. */

import type { ModelChange } from '#engine/data-model/change-model'
import type { Attribute, Option } from '#engine/data-model/model'

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
