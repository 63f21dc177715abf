/** Which change events concern a record. */

import type { ChangeEvent } from './change-events'

/** Events of tasks do not name the records that their task is linked to, so they may concern any record. */
export const mayConcernRecord = (event: ChangeEvent, recordId: string): boolean =>
  event.event_type.startsWith('task.') ||
  [event.id.record_id, event.parent_record_id, event.record_id, event.duplicate_record_id].includes(recordId)
