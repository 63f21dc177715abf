/** The rows of attributes and their options, and the rows that changes of them read and write. */

import { jsonb } from '#engine/data-model/kysely-in-transaction'
import type { ModelChange } from '#engine/data-model/change-model'
import type { Attribute } from '#engine/data-model/model'

/** Updates all columns of an attribute that can change. */
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
