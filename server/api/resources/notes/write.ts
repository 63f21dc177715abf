/** Creates, changes and deletes notes. See docs/reference/notes.md. */

import type { ApiContext, RequestContext } from '#context'
import { getObject } from '#engine/data-model/find'
import { missingRecord, requireMatch } from '#engine/entities/read/etag'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { readCreationTime } from '#engine/attribute-types/formats/instants'
import { newId } from '#base/ids'
import { type LastStatement, runShortTransaction } from '#engine/storage/short-transaction'
import { lockAgainstDeletion } from '#engine/storage/read-entities'
import { timestampFromMicros } from '#base/timing/clock'
import { type AnsweredNote, answerNote, parseNoteContent } from './render'
import type { NoteChange, NoteInput } from './schemas'
import { viewerOf } from '#crm/mailboxes/list-emails'
import { readVisibility } from '#crm/meetings/visibility'
import { deleteImages, deleteNoteRow, lockNoteRow, NOTE_COLUMNS, type NoteRow, updateNoteRow } from './store'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { columnTexts, compileStatement, typedParam } from '#engine/storage/statement'
import { outboxStep, outboxTexts } from '#engine/storage/statements/outbox-step'
import type { ValidationIssue } from '#base/errors/api-error'
import { emptyPayload, invalidBody, readId } from '#base/errors/http'
import { noteNotFound, unknownMeeting } from '#base/errors/meetings'
import type { ChangeEvent } from '#vocabulary/event-types'
import type { Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

/** Throws 404 for the object and the record, 400 for a time or a meeting, and 413 for the content. */
export async function createNote(context: ApiContext, input: NoteInput): Promise<AnsweredNote> {
  const createdAt = readCreationTime(input.created_at, context.now())
  const content = await parseNoteContent(input)
  return retryOnConflict(context, async (context) => {
    const object = getObject(context.model, input.parent_object)
    const note: NoteRow = {
      id: newId(),
      parent_object_id: object.id,
      parent_record_id: input.parent_record_id.toLowerCase(),
      title: input.title,
      content,
      meeting_id: input.meeting_id?.toLowerCase() ?? null,
      created_by: context.actor,
      created_at: timestampFromMicros(createdAt),
      version: 1,
    }
    const inserted = await runShortTransaction(context.db, async (tx) => {
      if (!(await lockAgainstDeletion(tx, object, note.parent_record_id))) return undefined
      await lockMeeting(tx, context, note.meeting_id)
      return insertNote(context, note)
    })
    if (inserted === undefined) throw await missingRecord(context, object, note.parent_record_id)
    return answerNote(context, inserted)
  })
}

/** The statement that inserts a note and its change event. See docs/decisions/writes.md. */
const INSERT = compileStatement((param) => {
  const values = NOTE_COLUMNS.map((name) => param(name))
  return `with note as (
      insert into relata.notes (workspace_id, ${NOTE_COLUMNS.join(', ')})
      values (${typedParam(param, 'workspace', 'uuid')}, ${values.join(', ')}) returning id
    ), ${outboxStep(param, 'note')}
    select 1`
})

const insertNote = (context: RequestContext, note: NoteRow): LastStatement<NoteRow> => ({
  statement: INSERT,
  texts: {
    ...columnTexts({ ...note, workspace: context.model.workspace.id }),
    ...outboxTexts({ origin: eventOriginOf(context), events: [noteEvent('note.created', note)] }),
  },
  result: note,
})

// Changes a note. See docs/reference/notes.md (Update).

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
  const id = readId('Note', noteId)
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

/** Throws 404, and 412 when the note has another version than `ifMatch` names. See docs/reference/notes.md (Delete). */
export const deleteNote = (context: ApiContext, noteId: string, ifMatch: string | null): Promise<object> =>
  retryOnConflict(context, async (context) => {
    const id = readId('Note', noteId)
    const isDeleted = await context.db.sql.begin(async (tx) => {
      const note = await lockNoteRow(tx, context, id)
      if (!note) return false
      requireMatch(note, ifMatch)
      await deleteNoteRow(tx, context, id)
      await deleteImages(tx, context, note)
      await appendToOutbox(tx, eventOriginOf(context), [noteEvent('note.deleted', note)])
      return true
    })
    if (!isDeleted) throw noteNotFound(noteId)
    return {}
  })

/** Locks the meeting of a note against its deletion, until the transaction ends. Throws 400 for a meeting that does not exist. */
async function lockMeeting(tx: Transaction, context: RequestContext, id: string | null): Promise<void> {
  if (id === null) return
  const { model } = context
  const meeting = await controlQueriesIn(tx)
    .selectFrom('relata.meetings')
    .select('id')
    .where(equal({ workspace_id: model.workspace.id, id }))
    .forKeyShare()
    .executeTakeFirst()
  const isSeen = meeting && (await readVisibility(tx, model.workspace.id, id, viewerOf(context))) !== 'nothing'
  if (isSeen !== true) throw unknownMeeting(id)
}

/** The change events of notes. They name the parent object by its id. See docs/reference/webhooks-and-events.md (Event types). */
type NoteEventType = 'note.created' | 'note.updated' | 'note.deleted' | 'note-content.updated'

const noteEvent = (event_type: NoteEventType, { id, parent_object_id, parent_record_id }: NoteRow): ChangeEvent => ({
  event_type,
  id: { note_id: id },
  parent_object_id,
  parent_record_id,
})
