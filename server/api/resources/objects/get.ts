/**
 * Lists and reads objects. Disabled standard objects are left out.
 * See docs/reference/objects-and-attributes.md (Standard objects).
 */

import type { RequestContext } from '#context'
import { enabledObjects, getObject } from '#engine/data-model/find'
import { renderObject } from './render'
import type { ObjectOutput } from './schemas'

/** Returns the objects in the order of their creation. */
export const listObjects = ({ model }: RequestContext): ObjectOutput[] =>
  enabledObjects(model).map((object) => renderObject(model, object))

export const readObject = ({ model }: RequestContext, slugOrId: string): ObjectOutput =>
  renderObject(model, getObject(model, slugOrId))
