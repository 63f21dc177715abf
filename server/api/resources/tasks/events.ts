/** The change events of tasks. See docs/reference/webhooks-and-events.md (Event types). */

import type { Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import type { ChangeEvent } from '#vocabulary/event-types'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import type { Micros } from '#base/timing/clock'

type Change = 'created' | 'updated' | 'deleted'

export const taskEvent = (change: Change, task_id: string): ChangeEvent => ({
  event_type: `task.${change}`,
  id: { task_id },
})

/** Appends the event in the transaction of the write. */
export const recordTaskEvent = (
  tx: Transaction,
  context: RequestContext,
  change: Change,
  task: { readonly id: string; readonly at: Micros },
): Promise<void> => appendToOutbox(tx, eventOriginOf(context, task.at), [taskEvent(change, task.id)])
