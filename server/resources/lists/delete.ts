/** Deletes a list for good, with its entries, attributes and views; the records stay. Spec: resources 5. */

import { getList } from '../../access/list-access'
import type { Call } from '../../call'
import { changeModel, lockHolders } from '../../data-model/change-model'
import { appendEvents, originOf } from '../../events/outbox'
import { dropOwner } from '../../workspaces/drop-entity-types'
import { auditList } from './audit'

export async function deleteList(call: Call, slugOrId: string): Promise<void> {
  await changeModel(call, async (step) => {
    const list = getList({ ...call, model: step.model }, slugOrId, 'full-access')
    await lockHolders(step.tx, list)
    await dropOwner(step, list)
    await auditList(call, step, 'deleted', list)
    await appendEvents(step.tx, originOf(call), [{ event_type: 'list.deleted', id: { list_id: list.id } }])
  })
}
