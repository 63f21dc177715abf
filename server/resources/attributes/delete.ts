/** Deletes a custom attribute for good, with its values and with the other side of its relationship. Spec: resources 2. */

import type { FindOwner } from '../../access/entity-type-path'
import type { Call } from '../../call'
import { changeModel } from '../../data-model/change-model'
import { partnerOf } from '../../data-model/find'
import { dropAttributes } from '../../workspaces/drop-entity-types'
import { getEditable } from './target'

export async function deleteAttribute(call: Call, find: FindOwner, slugOrId: string): Promise<void> {
  await changeModel(call, async (step) => {
    const attribute = getEditable(step.model, find(step.model), slugOrId)
    const partner = partnerOf(step.model, attribute)
    await dropAttributes(step, partner ? [attribute, partner] : [attribute])
  })
}
