/**
 * Erases what other tables have of records that are deleted for good: the only such code, for requests, jobs and the expiry of the
 * trash. See docs/reference/trash.md (Deletion for good); docs/decisions/erasure.md.
 */

import { renderArray, type Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import type { PrepareErasure } from '#engine/entities/write/delete-entity'
import { appendToOutbox, type EventOrigin } from '#engine/outbox/outbox'
import { lockPublishers } from '#events/feed/publish'
import { eraseAnswers } from '#api/http/idempotency/store'
import { idBefore } from '#base/ids'
import { eraseOutboxValues } from '#engine/storage/statements/outbox-step'
import { readTrashedTaskIds } from '#engine/storage/trash/purge'
import type { Clock } from '#base/timing/clock'
import { eraseWebhookValues } from '#events/webhooks/erase-values'
import { eraseAddresses, readErasedAddresses } from './erase-addresses'

/** Longer than a publisher's transaction lasts, and than the clocks of two processes differ. */
const MARGIN_MS = 3_600_000

/** Replaces the text of a task. */
const ERASED_TEXT = '[erased]'

interface ErasureOptions {
  readonly now: Clock
  /** The origin of the change events of tasks. Without it, the texts of tasks stay. */
  readonly originOfTasks?: (() => EventOrigin) | undefined
}

/** Many records cost as many statements as one. No index finds the deliveries of a record. */
export const erasureWith =
  ({ now, originOfTasks }: ErasureOptions): PrepareErasure =>
  async (tx, given, ids) => {
    const model = given.loaded ?? given
    const workspaceId = model.workspace.id
    const addresses = await readErasedAddresses(tx, model, ids)
    const taskIds = originOfTasks === undefined ? [] : await readTaskIds(tx, model, ids)
    return async () => {
      const meetingIds = await eraseAddresses(tx, model, addresses, now)
      if (originOfTasks !== undefined) await eraseTasks(tx, taskIds, originOfTasks())
      await eraseAnswers(tx, workspaceId, [...ids, ...meetingIds, ...taskIds])
      const since = idBefore(MARGIN_MS)
      await eraseWebhookValues(tx, model, ids)
      // Publishers wait while only the deliveries of the last hour are read.
      await lockPublishers(tx)
      await eraseOutboxValues(tx, model, ids)
      await eraseWebhookValues(tx, model, ids, since)
    }
  }

/** The tasks that are linked to the records, or were when these were moved to the trash. */
async function readTaskIds(tx: Transaction, model: DataModel, ids: readonly string[]): Promise<string[]> {
  const linked = await tx<{ task_id: string }[]>`
    select distinct task_id from relata.task_links
    where workspace_id = ${model.workspace.id} and record_id = any(${renderArray(ids)}::uuid[])`
  const trashed = await readTrashedTaskIds(tx, model, ids)
  return [...new Set([...linked.map(({ task_id }) => task_id), ...trashed])]
}

async function eraseTasks(tx: Transaction, taskIds: readonly string[], origin: EventOrigin): Promise<void> {
  const erased = await tx<{ id: string }[]>`
    update relata.tasks t set content = ${ERASED_TEXT}, version = version + 1
    from (
      select id from relata.tasks where workspace_id = ${origin.workspaceId} and id = any(${renderArray(taskIds)}::uuid[])
      order by id for update
    ) locked
    where t.workspace_id = ${origin.workspaceId} and t.id = locked.id and t.content <> ${ERASED_TEXT} returning t.id`
  const events = erased.map(({ id }) => ({ event_type: 'task.updated', id: { task_id: id } }) as const)
  await appendToOutbox(tx, origin, events)
}
