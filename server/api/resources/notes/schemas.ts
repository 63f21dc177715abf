/** The schemas of notes. See docs/reference/notes.md. */

import { type Static, Type } from 'typebox'
import { limitOffset } from '#api/http/request/pagination'

const Uuid = Type.String({ format: 'uuid' })
const nullableUuid = Type.Union([Uuid, Type.Null()])
const nullableText = Type.Union([Type.String(), Type.Null()])

const Title = Type.String({ maxLength: 255 })
const Format = Type.Enum(['plaintext', 'markdown'])
const Content = Type.String({ description: 'At most 1 MB in UTF-8.' })
const MeetingId = Type.Union([Uuid, Type.Null()], { description: 'The meeting that the note is about.' })

export const NoteInput = Type.Object({
  parent_object: Type.String({ description: 'The slug or id of an object.' }),
  parent_record_id: Uuid,
  title: Title,
  format: Format,
  content: Content,
  created_at: Type.Optional(Type.String({ description: 'When the note was written, from 1970 until now.' })),
  meeting_id: Type.Optional(MeetingId),
})
export type NoteInput = Static<typeof NoteInput>

export const NoteChange = Type.Partial(
  Type.Object({ title: Title, format: Format, content: Content, meeting_id: MeetingId }),
)
export type NoteChange = Static<typeof NoteChange>

export const CreateNoteBody = Type.Object({ data: NoteInput })
export const UpdateNoteBody = Type.Object({ data: NoteChange })

/** The words of a search are looked up one by one. */
const MAX_SEARCH_LENGTH = 256

export const NotesQuery = Type.Object({
  ...limitOffset(10, 50),
  parent_object: Type.Optional(Type.String({ description: 'The slug or id of an object: notes on its records.' })),
  parent_record_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Notes on this record; requires `parent_object`.' }),
  ),
  created_by: Type.Optional(Type.String({ format: 'uuid', description: 'The id of a workspace member.' })),
  search: Type.Optional(
    Type.String({ maxLength: MAX_SEARCH_LENGTH, description: 'Words, or their beginnings, that the title contains.' }),
  ),
  sort: Type.Optional(Type.Enum(['created_at:asc', 'created_at:desc'], { default: 'created_at:asc' })),
})
export type NotesQuery = Static<typeof NotesQuery>

const Tag = Type.Union([
  Type.Object({ type: Type.Literal('workspace-member'), workspace_member_id: Uuid }),
  Type.Object({ type: Type.Literal('record'), object: Type.String(), record_id: Uuid }),
])

export const NoteOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, note_id: Uuid }),
  parent_object: Type.String(),
  parent_record_id: Uuid,
  title: Type.String(),
  meeting_id: nullableUuid,
  content_plaintext: Type.String(),
  content_markdown: Type.String(),
  tags: Type.Array(Tag, {
    description: 'The members and records that links of the content name.',
  }),
  created_by_actor: Type.Object({ type: nullableText, id: nullableText }),
  created_at: Type.String({ format: 'date-time' }),
})
export type NoteOutput = Static<typeof NoteOutput>

export const NoteAnswer = Type.Object({ data: NoteOutput })
export const NotesAnswer = Type.Object({ data: Type.Array(NoteOutput) })
