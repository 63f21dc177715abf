/** A note as clients see it. See docs/reference/notes.md (The form of a note). */

import { getActor } from '#engine/attribute-types/actor-reference'
import { renderInstant } from '#engine/attribute-types/formats/instants'
import type { ApiContext } from '#context'
import { ModelVersionConflict } from '#engine/data-model/model'
import { etagOf } from '#engine/entities/read/etag'
import { inSlices } from '#base/timing/in-slices'
import type { NoteInput, NoteOutput } from './schemas'
import type { NoteRow } from './store'
import { contentTooLarge } from '#base/errors/meetings'
import type { BlockDocument } from '#base/text/block-document/document'
import { parseMarkdown } from '#base/text/block-document/parse-markdown'
import { parsePlainText, renderPlainText } from '#base/text/block-document/plain-text'
import { renderMarkdown } from '#base/text/block-document/render-markdown'

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

/** The content of a note: read from a body, stored as a block document, and rendered. See docs/decisions/notes.md. */
const MAX_CONTENT_BYTES = 1_000_000

/** The JSON of the block document. Throws 413. */
export async function parseNoteContent({ format, content }: Pick<NoteInput, 'format' | 'content'>): Promise<string> {
  if (Buffer.byteLength(content) > MAX_CONTENT_BYTES) throw contentTooLarge(MAX_CONTENT_BYTES)
  return JSON.stringify(await inSlices(format === 'markdown' ? parseMarkdown(content) : parsePlainText(content)))
}

/** Yields often, so that a caller can pause. */
function* renderNoteContent(
  json: string,
): Generator<void, { readonly content_plaintext: string; readonly content_markdown: string }> {
  const document = JSON.parse(json) as BlockDocument // as `parseNoteContent` made it
  yield
  const content_markdown = yield* renderMarkdown(document)
  yield
  return { content_plaintext: renderPlainText(document), content_markdown }
}
