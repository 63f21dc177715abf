/** The step of a statement that inserts change events into the outbox, after rows are written or locked. Decision 0065. */

import type { EventOrigin } from '../../events/outbox'
import type { ChangeEvent } from '../../events/event-types'
import { timestampFromMicros } from '../../timing/clock'
import { type Placeholder, type ParameterTexts, typedParam } from '../statement'

/** The change events of a statement. Absent if there are none, or if the caller inserts them. */
export interface OutboxRow {
  readonly origin: Omit<EventOrigin, 'workspaceId'>
  readonly events: readonly ChangeEvent[]
}

/** No step without events. The step `from` must have one row if the write happens, and otherwise none. */
export function outboxSteps(param: Placeholder, outbox: OutboxRow | undefined, from: string): string[] {
  return hasEvents(outbox) ? [outboxStep(param, from)] : []
}

/** The step of a statement that always has events. */
export const outboxStep = (param: Placeholder, from: string): string =>
  `outbox_insert as (insert into relata.outbox (workspace_id, occurred_at, actor, events)
    select ${typedParam(param, 'workspace', 'uuid')}, ${typedParam(param, 'occurred_at', 'timestamptz')}, ${typedParam(param, 'outbox_actor', 'int')},
      ${typedParam(param, 'events', 'json')} from ${from})`

export const outboxTexts = (outbox: OutboxRow | undefined): ParameterTexts =>
  hasEvents(outbox)
    ? {
        events: JSON.stringify(outbox.events),
        occurred_at: timestampFromMicros(outbox.origin.at),
        outbox_actor: String(outbox.origin.actor),
      }
    : {}

/** Part of the shape of a statement. */
export const hasEvents = (outbox: OutboxRow | undefined): outbox is OutboxRow =>
  outbox !== undefined && outbox.events.length > 0
