/** A note as clients see it. See docs/reference/notes.md (The form of a note). */

import { getActor } from '#engine/attribute-types/actor-reference'
import { renderInstant } from '#engine/attribute-types/formats/instants'
import type { ApiContext } from '#context'
import { ModelVersionConflict } from '#engine/data-model/model'
import { etagOf } from '#engine/entities/read/etag'
import { inSlices } from '#base/timing/in-slices'
import { renderNoteContent } from './content'
import type { NoteOutput } from './schemas'
import type { NoteRow } from './store'

/** A note as JSON text, with the tag of its version for `If-Match`. */
export interface AnsweredNote {
  readonly text: string
  readonly etag: string
}

export const answerNote = (context: ApiContext, note: NoteRow): Promise<AnsweredNote> =>
  inSlices(renderNote(context, note))

/** Yields often, so that a caller can pause. Throws `ModelVersionConflict` when the data model is older than the note. */
export function* renderNote(context: ApiContext, note: NoteRow): Generator<void, AnsweredNote> {
  const { object, author } = findInModel(context, note)
  const output: NoteOutput = {
    id: { workspace_id: context.model.workspace.id, note_id: note.id },
    parent_object: object.api_slug,
    parent_record_id: note.parent_record_id,
    title: note.title,
    meeting_id: note.meeting_id,
    ...(yield* renderNoteContent(note.content)),
    tags: [],
    created_by_actor: author,
    created_at: renderInstant(note.created_at, null),
  }
  yield
  return { text: JSON.stringify(output), etag: etagOf(note.version) }
}

/** The object and the author of a note. Throws `ModelVersionConflict` when the data model is older than the note. */
export function findInModel({ model }: ApiContext, note: NoteRow) {
  const object = model.entityTypesById.get(note.parent_object_id)
  if (!object) throw new ModelVersionConflict(`The object of note ${note.id} is not in the data model.`)
  return { object, author: getActor(model, note.created_by) }
}
