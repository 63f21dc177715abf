/** The change event of call recordings. See docs/reference/webhooks-and-events.md (Event types). */

import type { Transaction } from '#db/connect'
import { appendToOutbox } from '#engine/outbox/outbox'
import type { Micros } from '#base/timing/clock'
import type { CallRecording } from './store'

/** Appends the event in the transaction that completes the recording. The actor is the creator. */
export const recordCompletion = (
  tx: Transaction,
  workspaceId: string,
  { id, meeting_id, created_by }: Pick<CallRecording, 'id' | 'meeting_id' | 'created_by'>,
  at: Micros,
): Promise<void> =>
  appendToOutbox(tx, { workspaceId, actor: created_by, at }, [
    { event_type: 'call-recording.created', id: { meeting_id, call_recording_id: id } },
  ])
