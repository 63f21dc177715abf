/** The rows behind attributes and their options. */

import { jsonb } from '../../data-model/kysely-in-transaction'
import type { ModelChange } from '../../data-model/change-model'
import type { Attribute, Option } from '../../data-model/model'

/** Everything of an attribute that can change. */
export async function saveAttribute({ control, model }: ModelChange, attribute: Attribute): Promise<void> {
  const { title, description, api_slug, is_required, is_unique, is_archived } = attribute
  const { default_value, is_default_value_enabled, config } = attribute
  await control
    .updateTable('relata.attributes')
    .set({ title, description, api_slug, is_required, is_unique, is_archived, is_default_value_enabled })
    .set({ config: jsonb(config), default_value: default_value === null ? null : jsonb(default_value) })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', attribute.id)
    .execute()
}

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
