/** The change events of tasks. See docs/reference/webhooks-and-events.md (Event types). */

import type { Transaction } from '../../../db/connect'
import type { RequestContext } from '../../context'
import { appendToOutbox, eventOriginOf } from '../../events/outbox'
import type { Micros } from '../../timing/clock'

/** Appends the event in the transaction of the write. */
export const recordTaskEvent = (
  tx: Transaction,
  context: RequestContext,
  change: 'created' | 'updated' | 'deleted',
  task: { readonly id: string; readonly at: Micros },
): Promise<void> =>
  appendToOutbox(tx, eventOriginOf(context, task.at), [{ event_type: `task.${change}`, id: { task_id: task.id } }])
