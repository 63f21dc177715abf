/** Which change events concern a record. */

import type { ChangeEvent } from './change-events'

/** Events of tasks and activities do not name the records that these refer to, so they may concern any record. */
export const mayConcernRecord = (event: ChangeEvent, recordId: string): boolean =>
  /^(task|activity-record)\./.test(event.event_type) ||
  [event.id.record_id, event.parent_record_id, event.record_id, event.duplicate_record_id].includes(recordId)
