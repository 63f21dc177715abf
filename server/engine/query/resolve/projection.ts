/** The attributes that the response to a query contains. */

import type { DataModel, EntityType } from '#engine/data-model/model'
import { unknownAttributeKey } from '#base/errors/records'
import { compileRenderer, type Renderer, rendererOf } from '#engine/entities/read/render'
import { getSearchable } from './resolve-path'

/** Renders the named attributes, or all. Throws 400 for a name that is not an attribute. */
export function projectionOf(
  model: DataModel,
  entityType: EntityType,
  fields: readonly string[] | undefined,
): Renderer {
  if (fields === undefined) return rendererOf(model, entityType)
  const attributes = fields.map((field) =>
    getSearchable(model, entityType, field, (didYouMean) => unknownAttributeKey(field, didYouMean)),
  )
  return compileRenderer(model, entityType, [...new Set(attributes)])
}
