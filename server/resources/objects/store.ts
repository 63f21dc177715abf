/** The rows of objects, and of values that refer to their records. */

import type { ModelChange } from '../../data-model/change-model'
import { entityTypeOf } from '../../data-model/find'
import type { Attribute, ObjectType } from '../../data-model/model'
import { targetObjectColumn } from '../../storage/references'
import type { ObjectInput } from './schemas'

/** Updates the slug and the nouns of an object. */
export async function saveNames(
  { control, model }: ModelChange,
  object: ObjectType,
  names: ObjectInput,
): Promise<void> {
  const { api_slug, singular_noun, plural_noun } = names
  await control
    .updateTable('relata.entity_types')
    .set({ api_slug })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', object.id)
    .execute()
  await control
    .updateTable('relata.objects')
    .set({ singular_noun, plural_noun })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', object.id)
    .execute()
}

export async function hasRecords({ tx }: ModelChange, object: ObjectType): Promise<boolean> {
  const rows = await tx.unsafe(`select 1 from ${object.table} limit 1`)
  return rows.length > 0
}

/** Returns the ids of the entities whose `attribute` refers to a record of the object. */
export async function findReferring(
  { tx, model }: ModelChange,
  attribute: Attribute,
  object: ObjectType,
): Promise<string[]> {
  const column = targetObjectColumn(attribute)
  const refers = attribute.is_multiselect ? `$1 = any(${column})` : `${column} = $1`
  const query = `select id from ${entityTypeOf(model, attribute).table} where ${refers}`
  const rows = await tx.unsafe<{ id: string }[]>(query, [object.number])
  return rows.map(({ id }) => id)
}

/** Deletes historic values that referred to records of the object. */
export async function forgetReferences(
  { tx, model }: ModelChange,
  attribute: Attribute,
  object: ObjectType,
): Promise<void> {
  const query = `delete from ${model.schema}.history where attribute = $1 and (value->>'target_object')::int = $2`
  await tx.unsafe(query, [attribute.number, object.number])
}

/** Removes the object from the allowed objects of an attribute that restricts them. */
export async function disallow({ tx, model }: ModelChange, attribute: Attribute, object: ObjectType): Promise<void> {
  await tx`
    update relata.attributes
    set config = jsonb_set(config, '{record_reference,allowed_object_ids}',
      (config #> '{record_reference,allowed_object_ids}') - ${object.id}::text)
    where workspace_id = ${model.workspace.id} and id = ${attribute.id}
      and config #> '{record_reference,allowed_object_ids}' ? ${object.id}::text`
}
