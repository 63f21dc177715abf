/** Reads notes and their lists. See docs/reference/notes.md. */

import { runOnLookupPool } from '#db/connect'
import type { ApiContext, RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { invalidQuery, readId } from '#base/errors/http'
import { noteNotFound } from '#base/errors/meetings'
import { type AnsweredNote, answerNote, findInModel, renderNote } from './render'
import { findNoteRow, type NoteRow } from './store'
import { getObject } from '#engine/data-model/find'
import { unknownMember } from '#base/errors/records'
import { JsonText } from '#api/http/response/answer'
import { JsonStream } from '#api/http/response/export-stream'
import { wordsOf } from '#engine/search/words'
import { inSlices } from '#base/timing/in-slices'
import { listNoteRows, type NoteSelection } from './list-statement'
import type { NotesQuery } from './schemas'

/** Throws 404, and 400 when the id is not a UUID. See docs/reference/notes.md (Get). */
export async function getNote(context: ApiContext, noteId: string): Promise<AnsweredNote> {
  const id = readId('Note', noteId)
  return retryOnConflict(context, async (context) => {
    const note = await runOnLookupPool(context.db, (sql) => findNoteRow(sql, context, id))
    if (!note) throw noteNotFound(noteId)
    return answerNote(context, note)
  })
}

// Lists notes. See docs/reference/notes.md (List).

/** A page with more than this many characters of content is rendered while it is sent. */
const MAX_RENDERED_AT_ONCE = 2_000_000

/** Throws 404 for the object, and 400 for a record without an object and for a member. */
export const listNotes = (context: ApiContext, query: NotesQuery): Promise<JsonText | JsonStream> =>
  retryOnConflict(context, async (context) => {
    const selection = selectionOf(context, query)
    const rows = selection.titleWords?.length === 0 ? [] : await listNoteRows(context, selection)
    const size = rows.reduce((sum, { content }) => sum + content.length, 0)
    if (size <= MAX_RENDERED_AT_ONCE) return new JsonText(await inSlices(renderPage(context, rows)))
    // A conflict is found before the response begins.
    for (const row of rows) findInModel(context, row)
    return new JsonStream(streamPage(context, rows))
  })

function* renderPage(context: ApiContext, rows: readonly NoteRow[]): Generator<void, string[]> {
  const notes: string[] = []
  for (const row of rows) notes.push(notes.length === 0 ? '' : ',', (yield* renderNote(context, row)).text)
  return ['{"data":[', ...notes, ']}']
}

/** Each piece has one note. */
async function* streamPage(context: ApiContext, rows: readonly NoteRow[]): AsyncGenerator<string, void, void> {
  let before = '{"data":['
  for (const row of rows) {
    yield before + (await inSlices(renderNote(context, row))).text
    before = ','
  }
  yield ']}'
}

function selectionOf({ model }: RequestContext, query: NotesQuery): NoteSelection {
  const { parent_object, parent_record_id, created_by, search, sort, limit = 10, offset = 0 } = query
  if (parent_record_id !== undefined && parent_object === undefined)
    throw invalidQuery([
      { code: 'invalid', path: ['parent_object'], message: 'parent_record_id requires parent_object' },
    ])
  return {
    ...(parent_object !== undefined && { parentObjectId: getObject(model, parent_object).id }),
    ...(parent_record_id !== undefined && { parentRecordId: parent_record_id.toLowerCase() }),
    ...(created_by !== undefined && { createdBy: actorOf(model, created_by) }),
    ...(search !== undefined && { titleWords: wordsOf(search) }),
    direction: sort === 'created_at:desc' ? 'desc' : 'asc',
    limit,
    offset,
  }
}

/** Suspended members are found as well. */
function actorOf({ membersById }: RequestContext['model'], memberId: string): number {
  const member = membersById.get(memberId.toLowerCase())
  if (!member) throw unknownMember(memberId)
  return member.actor
}
