/**
 * Lists and reads objects. Disabled standard objects are left out.
 * See docs/reference/objects-and-attributes.md (Standard objects).
 */

import type { RequestContext } from '#context'
import { enabledObjects, getObject } from '#engine/data-model/find'
import type { ObjectOutput } from './schemas'
import type { DataModel, ObjectType } from '#engine/data-model/model'

/** Returns the objects in the order of their creation. */
export const listObjects = ({ model }: RequestContext): ObjectOutput[] =>
  enabledObjects(model).map((object) => renderObject(model, object))

export const readObject = ({ model }: RequestContext, slugOrId: string): ObjectOutput =>
  renderObject(model, getObject(model, slugOrId))

/** Renders an object. See docs/reference/objects-and-attributes.md (Objects). */
export const renderObject = (model: DataModel, object: ObjectType): ObjectOutput => ({
  id: { workspace_id: model.workspace.id, object_id: object.id },
  api_slug: object.api_slug,
  singular_noun: object.singular_noun,
  plural_noun: object.plural_noun,
  created_at: object.created_at,
})
