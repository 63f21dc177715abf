/** Changes a note. See docs/reference/notes.md (Update). */

import type { ApiContext } from '#context'
import { requireMatch } from '#engine/entities/read/etag'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import type { ValidationIssue } from '#base/errors/api-error'
import { emptyPayload, invalidBody } from '#base/errors/http'
import { noteNotFound } from '#base/errors/notes'
import type { ChangeEvent } from '#vocabulary/event-types'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { parseNoteContent } from './content'
import { noteEvent } from './events'
import { noteIdOf } from './get'
import { type AnsweredNote, answerNote } from './render'
import { lockMeeting } from './lock-meeting'
import type { NoteChange } from './schemas'
import { lockNoteRow, type NoteRow, updateNoteRow } from './store'

/**
 * Writes the title, the meeting and the content that the body has. What does not change has no event. Throws 404, 412 when the note has
 * another version than `ifMatch` names, 400 for a meeting, and 413 for the content.
 */
export async function updateNote(
  context: ApiContext,
  noteId: string,
  change: NoteChange,
  ifMatch: string | null,
): Promise<AnsweredNote> {
  const id = noteIdOf(noteId)
  const content = await contentOf(change)
  return retryOnConflict(context, async (context) => {
    const saved = await context.db.sql.begin(async (tx) => {
      // A deletion of a meeting locks the meeting first and then its notes, so an update does too.
      await lockMeeting(tx, context, change.meeting_id ?? null)
      const note = await lockNoteRow(tx, context, id, content)
      if (!note) return undefined
      requireMatch(note, ifMatch)
      const { isSameContent, ...before } = note
      const { changed, events } = applyChange(before, change, isSameContent ? undefined : content)
      if (events.length === 0) return before
      await updateNoteRow(tx, context, changed)
      await appendToOutbox(tx, eventOriginOf(context), events)
      return changed
    })
    if (!saved) throw noteNotFound(noteId)
    return answerNote(context, saved as NoteRow) // the driver's type for the callback's result is wider
  })
}

/** The JSON of the new content, if the body has one. */
async function contentOf({ title, format, content, meeting_id }: NoteChange): Promise<string | undefined> {
  if (title === undefined && format === undefined && content === undefined && meeting_id === undefined)
    throw emptyPayload()
  if (format === undefined && content === undefined) return undefined
  if (format === undefined) throw invalidBody([missing('format')])
  if (content === undefined) throw invalidBody([missing('content')])
  return parseNoteContent({ format, content })
}

const missing = (member: string): ValidationIssue => ({
  code: 'invalid_type',
  path: ['data', member],
  expected: 'string',
  received: 'undefined',
  message: 'Required',
})

function applyChange(
  note: NoteRow,
  { title, meeting_id }: NoteChange,
  content: string | undefined,
): { readonly changed: NoteRow; readonly events: readonly ChangeEvent[] } {
  const events: ChangeEvent[] = []
  const meetingId = meeting_id === undefined ? note.meeting_id : (meeting_id?.toLowerCase() ?? null)
  if ((title ?? note.title) !== note.title || meetingId !== note.meeting_id)
    events.push(noteEvent('note.updated', note))
  if (content !== undefined) events.push(noteEvent('note-content.updated', note))
  const state = { title: title ?? note.title, meeting_id: meetingId, content: content ?? note.content }
  return { changed: { ...note, ...state, version: note.version + 1 }, events }
}
