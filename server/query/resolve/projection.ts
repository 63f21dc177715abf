/** Which attributes a query answers. */

import type { DataModel, Owner } from '../../data-model/model'
import { unknownAttributeKey } from '../../errors/errors'
import { compileRenderer, type Renderer, rendererOf } from '../../entities/read/render'
import { getSearchable } from './resolve-path'

/** A renderer of the named attributes, or of all. Throws 400 for a name that is none. */
export function projectionOf(model: DataModel, owner: Owner, fields: readonly string[] | undefined): Renderer {
  if (fields === undefined) return rendererOf(model, owner)
  const attributes = fields.map((field) =>
    getSearchable(model, owner, field, (didYouMean) => unknownAttributeKey(field, didYouMean)),
  )
  return compileRenderer(model, owner, [...new Set(attributes)])
}
