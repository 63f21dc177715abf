/**
 * Deletes a custom attribute with its values and the other side of its relationship. Deletion cannot be undone.
 * See docs/reference/objects-and-attributes.md (Attributes).
 */

import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { changeModel } from '#engine/data-model/change-model'
import { otherSideOf } from '#engine/data-model/find'
import { dropAttributes } from '#engine/workspaces/drop-entity-types'
import { getEditable } from './target'

/** Throws 404 for an unknown attribute, and 400 for a system attribute. */
export async function deleteAttribute(context: RequestContext, find: FindEntityType, slugOrId: string): Promise<void> {
  await changeModel(context, async (step) => {
    const attribute = getEditable(step.model, find(step.model), slugOrId)
    const partner = otherSideOf(step.model, attribute)
    await dropAttributes(step, partner ? [attribute, partner] : [attribute])
  })
}
