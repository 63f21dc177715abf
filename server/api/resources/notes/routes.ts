import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import { ifMatch } from '#engine/entities/read/etag'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import type { Scope } from '#vocabulary/scopes'
import { createNote, deleteNote, updateNote } from './write'
import { getNote, listNotes } from './read'
import type { AnsweredNote } from './render'
import { CreateNoteBody, NoteAnswer, NotesAnswer, NotesQuery, UpdateNoteBody } from './schemas'

const tag = 'Notes'
const READ: readonly Scope[] = ['note:read', 'object_configuration:read', 'record_permission:read']
const WRITE: readonly Scope[] = ['note:read-write', 'object_configuration:read', 'record_permission:read']
const DELETE: readonly Scope[] = ['note:read-write']

/** A note with its version as entity tag. */
const tagged = async (note: Promise<AnsweredNote>): Promise<JsonText> => {
  const { text, etag } = await note
  return new JsonText(['{"data":', text, '}'], { headers: { ETag: etag } })
}

/** See docs/reference/notes.md. */
export const noteRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'notes' })
    .get(
      ...guard(
        '/v2/notes',
        {
          operation: 'listNotes',
          summary: 'List notes',
          description: 'In the order of their creation, on all records or on those that the parameters name.',
          tag,
          scopes: READ,
          query: NotesQuery,
          response: NotesAnswer,
        },
        ({ context, query }) => listNotes(context, query),
      ),
    )
    .post(
      ...guard(
        '/v2/notes',
        {
          operation: 'createNote',
          summary: 'Create a note on a record',
          tag,
          scopes: WRITE,
          body: CreateNoteBody,
          usesConfiguredLimit: true,
          response: NoteAnswer,
        },
        ({ context, body }) => tagged(createNote(context, body.data)),
      ),
    )
    .get(
      ...guard(
        '/v2/notes/:note_id',
        { operation: 'getNote', summary: 'Get a note', tag, scopes: READ, response: NoteAnswer },
        ({ context, params }) => tagged(getNote(context, params.note_id)),
      ),
    )
    .patch(
      ...guard(
        '/v2/notes/:note_id',
        {
          operation: 'updateNote',
          summary: 'Change the title or the content of a note',
          tag,
          scopes: WRITE,
          body: UpdateNoteBody,
          usesConfiguredLimit: true,
          response: NoteAnswer,
          usesIfMatch: true,
        },
        ({ context, params, body, request }) =>
          tagged(updateNote(context, params.note_id, body.data, ifMatch(request))),
      ),
    )
    .delete(
      ...guard(
        '/v2/notes/:note_id',
        {
          operation: 'deleteNote',
          summary: 'Delete a note',
          tag,
          scopes: DELETE,
          response: EmptyAnswer,
          usesIfMatch: true,
        },
        ({ context, params, request }) => deleteNote(context, params.note_id, ifMatch(request)),
      ),
    )
