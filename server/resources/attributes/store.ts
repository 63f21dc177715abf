/** The rows of attributes and their options, and the rows that changes of them read and write. */

import { jsonb } from '../../data-model/kysely-in-transaction'
import type { ModelChange } from '../../data-model/change-model'
import type { Attribute, Option, EntityType } from '../../data-model/model'
import { idOf, createdAtText, type Layout, type Row } from '../../storage/layout'
import type { UniqueKey } from '../../storage/unique-keys'

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

/** Inserts an option after all others. */
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

const PAGE = 5000

/** Reads a page of entities in the order of their creation. `after` is the last row of the previous page. */
export async function readPage(
  { tx }: ModelChange,
  entityType: EntityType,
  layout: Layout,
  after?: Row,
): Promise<Row[]> {
  const beyond = after === undefined ? '' : 'where (h.created_at, h.id) > ($1, $2)'
  const query = `select ${layout.select} from ${entityType.table} h ${beyond} order by h.created_at, h.id limit ${PAGE}`
  const parameters = after === undefined ? [] : [createdAtText(after), idOf(after)]
  return (await tx.unsafe(query, parameters).values()) as unknown as Row[] // rows as arrays
}

/** Inserts unique keys. Skips keys that another entity has. */
export async function insertKeys(
  { tx, model }: ModelChange,
  keys: readonly (UniqueKey & { readonly entity_id: string })[],
): Promise<void> {
  await tx.unsafe(
    `insert into ${model.schema}.uniques (attribute, key, entity_id)
     select attribute, key, entity_id from json_to_recordset($1::text::json) as k(attribute int, key text, entity_id uuid)
     on conflict do nothing`,
    [JSON.stringify(keys)],
  )
}
