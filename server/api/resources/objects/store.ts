/** The rows of objects, and of values that refer to their records. */

import type { ModelChange } from '#engine/data-model/change-model'
import type { Attribute, ObjectType } from '#engine/data-model/model'
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

/** Removes the object from the allowed objects of an attribute that restricts them. */
export async function disallow({ tx, model }: ModelChange, attribute: Attribute, object: ObjectType): Promise<void> {
  await tx`
    update relata.attributes
    set config = jsonb_set(config, '{record_reference,allowed_object_ids}',
      (config #> '{record_reference,allowed_object_ids}') - ${object.id}::text)
    where workspace_id = ${model.workspace.id} and id = ${attribute.id}
      and config #> '{record_reference,allowed_object_ids}' ? ${object.id}::text`
}
