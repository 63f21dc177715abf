/** Creates a note on a record. See docs/reference/notes.md (Create). */

import type { ApiContext } from '../../context'
import { getObject } from '../../data-model/find'
import { missingRecord } from '../../entities/read/path-id'
import { retryOnConflict } from '../../entities/write/retry-on-conflict'
import { readCreationTime } from '../../attribute-types/formats/creation-time'
import { appendToOutbox, eventOriginOf } from '../../events/outbox'
import { newId } from '../../ids'
import { lockAgainstDeletion } from '../../storage/read-entities'
import { timestampFromMicros } from '../../timing/clock'
import { parseNoteContent } from './content'
import { noteEvent } from './events'
import { type AnsweredNote, answerNote } from './render'
import { lockMeeting } from './lock-meeting'
import type { NoteInput } from './schemas'
import { insertNoteRow, type NoteRow } from './store'

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
    const isInserted = await context.db.sql.begin(async (tx) => {
      if (!(await lockAgainstDeletion(tx, object, note.parent_record_id))) return false
      await lockMeeting(tx, context, note.meeting_id)
      await insertNoteRow(tx, context, note)
      await appendToOutbox(tx, eventOriginOf(context), [noteEvent('note.created', note)])
      return true
    })
    if (!isInserted) throw await missingRecord(context, note.parent_record_id)
    return answerNote(context, note)
  })
}
