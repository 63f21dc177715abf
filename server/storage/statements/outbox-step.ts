/** The step of a statement that leaves its events in the outbox: after the rows are written or locked. Decision 0065. */

import type { EventOrigin } from '../../events/outbox'
import type { ChangeEvent } from '../../events/event-types'
import { timestampFromMicros } from '../../timing/clock'
import { type At, type ParameterTexts, typed } from '../statement'

/** What a statement tells. Absent: nothing, or somebody else does. */
export interface OutboxRows {
  readonly origin: Omit<EventOrigin, 'workspaceId'>
  readonly events: readonly ChangeEvent[]
}

/** `from` is the step that has rows only when the write happens, and has a row for all of it. */
export function outboxSteps(at: At, told: OutboxRows | undefined, from: string): string[] {
  if (!hasEvents(told)) return []
  return [
    `told as (insert into relata.outbox (workspace_id, occurred_at, actor, events)
      select ${typed(at, 'workspace', 'uuid')}, ${typed(at, 'told_at', 'timestamptz')}, ${typed(at, 'told_by', 'int')},
        ${typed(at, 'told', 'json')} from ${from})`,
  ]
}

export const outboxTexts = (told: OutboxRows | undefined): ParameterTexts =>
  hasEvents(told)
    ? {
        told: JSON.stringify(told.events),
        told_at: timestampFromMicros(told.origin.at),
        told_by: String(told.origin.actor),
      }
    : {}

/** It decides about the text of a statement. */
export const hasEvents = (told: OutboxRows | undefined): told is OutboxRows =>
  told !== undefined && told.events.length > 0
