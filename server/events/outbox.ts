/**
 * Events are written with the change they tell of, or not at all.
 * See docs/reference/webhooks-and-events.md (What causes what).
 */

import type { Sql, Transaction } from '../../db/connect'
import type { RequestContext } from '../context'
import { timestampFromMicros, type Micros } from '../timing/clock'
import type { ChangeEvent } from './event-types'

/** Which write the events belong to. */
export interface EventOrigin {
  readonly workspaceId: string
  /** The number of the actor who wrote. */
  readonly actor: number
  readonly at: Micros
}

/** What a call writes, at an instant: by default now. */
export const eventOriginOf = ({ model, actor, now }: RequestContext, at: Micros = now()): EventOrigin => ({
  workspaceId: model.workspace.id,
  actor,
  at,
})

/** Leaves events in the outbox, in their order. Call it after the rows they tell of are locked or written. */
export async function appendToOutbox(
  db: Sql | Transaction,
  origin: EventOrigin,
  events: readonly ChangeEvent[],
): Promise<void> {
  if (events.length === 0) return
  await db`
    insert into relata.outbox (workspace_id, occurred_at, actor, events)
    values (${origin.workspaceId}, ${timestampFromMicros(origin.at)}, ${origin.actor}, ${JSON.stringify(events)}::text::json)`
}
