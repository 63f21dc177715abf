/**
 * Appends change events to the outbox, in the transaction of the change itself.
 * See docs/reference/webhooks-and-events.md (What causes what).
 */

import type { Sql, Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import { currentTraceparent } from '#base/monitoring/request-scope'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import type { ChangeEvent } from '#vocabulary/event-types'

/** The write that caused the events. */
export interface EventOrigin {
  readonly workspaceId: string
  /** The number of the actor in the workspace. */
  readonly actor: number
  readonly at: Micros
}

/** The origin of events that a request causes. */
export const eventOriginOf = ({ model, actor, now }: RequestContext, at: Micros = now()): EventOrigin => ({
  workspaceId: model.workspace.id,
  actor,
  at,
})

/** Appends events in their order. Call it after the changed rows are locked or written. */
export async function appendToOutbox(
  db: Sql | Transaction,
  origin: EventOrigin,
  events: readonly ChangeEvent[],
): Promise<void> {
  if (events.length === 0) return
  await db`
    insert into relata.outbox (workspace_id, occurred_at, actor, events)
    values (${origin.workspaceId}, ${timestampFromMicros(origin.at)}, ${origin.actor}, ${renderOutboxEvents(events)}::text::json)`
}

/** The JSON of the events of an outbox row. They get the trace of the request that runs, if it has one. */
export function renderOutboxEvents(events: readonly ChangeEvent[]): string {
  const traceparent = currentTraceparent()
  return JSON.stringify(traceparent === undefined ? events : events.map((event) => ({ ...event, traceparent })))
}
