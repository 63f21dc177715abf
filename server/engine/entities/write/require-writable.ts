/** Refuses values that a member may not write. See docs/access.md (Access to objects). */

import { entityTypeOf, otherSideOf, requireWritable } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import type { Assignment } from './parse-values'

/** Throws 403 for a relationship with records of an object that the member may only read, because both sides change. */
export function requireWritableSides(model: DataModel, assignments: readonly Pick<Assignment, 'attribute'>[]): void {
  if (model.loaded === undefined) return
  for (const { attribute } of assignments) {
    const otherSide = otherSideOf(model, attribute)
    if (otherSide !== undefined) requireWritable(entityTypeOf(model, otherSide))
  }
}
