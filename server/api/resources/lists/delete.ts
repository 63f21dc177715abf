/**
 * Deletes a list with its entries, attributes and views, and not the records. Deletion cannot be undone.
 * See docs/reference/lists-and-entries.md (Lists).
 */

import { auditList } from '#access/list-access/audit-list'
import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { changeModel, lockEntities } from '#engine/data-model/change-model'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { dropEntityType } from '#engine/workspaces/drop-entity-types'

export async function deleteList(context: RequestContext, slugOrId: string): Promise<void> {
  await changeModel(context, async (step) => {
    const list = getList({ ...context, model: step.model }, slugOrId, 'full-access')
    await lockEntities(step.tx, list)
    await dropEntityType(step, list)
    await auditList(context, step, 'deleted', list)
    await appendToOutbox(step.tx, eventOriginOf(context), [{ event_type: 'list.deleted', id: { list_id: list.id } }])
  })
}
