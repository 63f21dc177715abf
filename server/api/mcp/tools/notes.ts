import { Type } from 'typebox'
import { flatten } from '#api/mcp/answers'
import { ADDS, defineTool, nextPage, ObjectSlug, page, pageOfArguments, READS, RecordId } from './define'

interface NoteData extends Readonly<Record<string, unknown>> {
  readonly content_plaintext: string
  readonly content_markdown: string
}

const PREVIEW_LENGTH = 300

export const listNotesTool = defineTool({
  name: 'list_notes',
  title: 'List notes',
  description: 'Lists notes, the newest first, with the beginning of each; of one record, or by words.',
  operations: ['listNotes'],
  effect: READS,
  arguments: Type.Object({
    object: Type.Optional(ObjectSlug),
    record_id: Type.Optional(RecordId),
    search: Type.Optional(Type.String({ maxLength: 256, description: 'Words of the title and the content.' })),
    ...page(50),
  }),
  async run({ object, record_id, search, ...given }, { call }) {
    const place = pageOfArguments(given)
    const query = { parent_object: object, parent_record_id: record_id, search, ...place }
    const { data } = (await call('listNotes', { query })) as { data: NoteData[] } // as in the schema of the operation
    const notes = data.map(({ content_plaintext, content_markdown: _, created_by_actor: __, ...note }) => ({
      ...flatten(note),
      preview: content_plaintext.slice(0, PREVIEW_LENGTH),
    }))
    return { notes, ...nextPage(data, place) }
  },
})

export const getNoteTool = defineTool({
  name: 'get_note',
  title: 'Get a note',
  description: 'Reads a note as markdown.',
  operations: ['getNote'],
  effect: READS,
  arguments: Type.Object({ note_id: Type.String({ format: 'uuid' }) }),
  async run({ note_id }, { call }) {
    const { data } = (await call('getNote', { params: { note_id } })) as { data: NoteData } // as in the schema of the operation
    const { content_plaintext: _, ...note } = data
    return flatten(note)
  },
})

export const createNoteTool = defineTool({
  name: 'create_note',
  title: 'Create a note',
  description: 'Writes a note about a record, in markdown.',
  operations: ['createNote'],
  effect: ADDS,
  arguments: Type.Object({
    object: ObjectSlug,
    record_id: RecordId,
    title: Type.String({ maxLength: 255 }),
    content: Type.String({ description: 'Markdown.' }),
  }),
  async run({ object, record_id, title, content }, { call }) {
    const data = { parent_object: object, parent_record_id: record_id, title, content, format: 'markdown' }
    const answer = (await call('createNote', { body: { data } })) as { data: NoteData } // as in the schema of the operation
    return { id: flatten(answer.data).id }
  },
})
