/** Lists notes. See docs/reference/notes.md (List). */

import type { ApiContext, RequestContext } from '../../context'
import { getObject } from '../../data-model/find'
import { retryOnConflict } from '../../entities/write/retry-on-conflict'
import { invalidQuery } from '../../errors/http'
import { unknownMember } from '../../errors/records'
import { wordsOf } from '../../search/words'
import { inSlices } from '../../timing/in-slices'
import { renderNote } from './render'
import type { NotesQuery } from './schemas'
import { listNoteRows, type NoteRow, type NoteSelection } from './store'

/** The pieces of the JSON of a page. Throws 404 for the object, and 400 for a record without an object and for a member. */
export const listNotes = (context: ApiContext, query: NotesQuery): Promise<string[]> =>
  retryOnConflict(context, async (context) => {
    const selection = selectionOf(context, query)
    const rows = selection.titleWords?.length === 0 ? [] : await listNoteRows(context, selection)
    return inSlices(renderPage(context, rows))
  })

function* renderPage(context: ApiContext, rows: readonly NoteRow[]): Generator<void, string[]> {
  const notes: string[] = []
  for (const row of rows) notes.push(notes.length === 0 ? '' : ',', (yield* renderNote(context, row)).text)
  return ['{"data":[', ...notes, ']}']
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
