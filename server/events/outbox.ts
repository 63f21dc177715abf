/** Events are written with the change they tell of, or not at all. Spec: webhooks 5. */

import type { Sql, Transaction } from '../../db/connect'
import type { Call } from '../call'
import { timestampFromMicros, type Micros } from '../timing/clock'
import type { NewEvent } from './event-types'

/** Which write the events belong to. */
export interface Origin {
  readonly workspaceId: string
  /** The number of the actor who wrote. */
  readonly actor: number
  readonly at: Micros
}

/** What a call writes, at an instant: by default now. */
export const originOf = ({ model, actor, now }: Call, at: Micros = now()): Origin => ({
  workspaceId: model.workspace.id,
  actor,
  at,
})

/** Leaves events in the outbox, in their order. Call it after the rows they tell of are locked or written. */
export async function appendEvents(db: Sql | Transaction, origin: Origin, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await db`
    insert into relata.outbox (workspace_id, occurred_at, actor, events)
    values (${origin.workspaceId}, ${timestampFromMicros(origin.at)}, ${origin.actor}, ${JSON.stringify(events)}::text::json)`
}
