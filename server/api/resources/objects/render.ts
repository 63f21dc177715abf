/** Renders an object. See docs/reference/objects-and-attributes.md (Objects). */

import type { DataModel, ObjectType } from '#engine/data-model/model'
import type { ObjectOutput } from './schemas'

export const renderObject = (model: DataModel, object: ObjectType): ObjectOutput => ({
  id: { workspace_id: model.workspace.id, object_id: object.id },
  api_slug: object.api_slug,
  singular_noun: object.singular_noun,
  plural_noun: object.plural_noun,
  created_at: object.created_at,
})
