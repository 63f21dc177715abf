/** The change events of notes. They name the parent object by its id. See docs/reference/webhooks-and-events.md (Event types). */

import type { ChangeEvent } from '#vocabulary/event-types'
import type { NoteRow } from './store'

type NoteEventType = 'note.created' | 'note.updated' | 'note.deleted' | 'note-content.updated'

export const noteEvent = (
  event_type: NoteEventType,
  { id, parent_object_id, parent_record_id }: NoteRow,
): ChangeEvent => ({ event_type, id: { note_id: id }, parent_object_id, parent_record_id })
