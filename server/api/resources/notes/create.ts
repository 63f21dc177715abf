/** Creates a note on a record. See docs/reference/notes.md (Create). */

import type { ApiContext } from '#context'
import { getObject } from '#engine/data-model/find'
import { missingRecord } from '#engine/entities/read/path-id'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { readCreationTime } from '#engine/attribute-types/formats/creation-time'
import { newId } from '#base/ids'
import { runShortTransaction } from '#engine/storage/short-transaction'
import { lockAgainstDeletion } from '#engine/storage/read-entities'
import { timestampFromMicros } from '#base/timing/clock'
import { parseNoteContent } from './content'
import { insertNote } from './insert-statement'
import { type AnsweredNote, answerNote } from './render'
import { lockMeeting } from './lock-meeting'
import type { NoteInput } from './schemas'
import type { NoteRow } from './store'

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
