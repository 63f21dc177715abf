/** Notes. */

import type { NoteBlock, NoteDocument, NoteLine } from '#api/console/notes/schemas'
import type { NoteOutput } from '#api/resources/notes/schemas'
import { api, type RequestOptions, workspaceApi } from '../client'

export type { NoteBlock, NoteLine }
export type Note = NoteOutput

export interface NoteQuery {
  /** Words of the title. */
  readonly search?: string | undefined
  /** The id of a member. */
  readonly created_by?: string | undefined
  readonly parent_object?: string | undefined
  readonly parent_record_id?: string | undefined
}

/** As many as the service returns at once. */
export const NOTES_PAGE = 50

const pathOf = (id: string): string => `/notes/${encodeURIComponent(id)}`

/** A page of notes, the latest first. */
export const listNotes = async (query: NoteQuery, offset: number, signal?: AbortSignal): Promise<Note[]> => {
  const page = { sort: 'created_at:desc', limit: NOTES_PAGE, offset }
  return (await api.get<{ data: Note[] }>('/notes', { query: { ...query, ...page }, signal })).data
}

export interface VersionedNote {
  readonly note: Note
  /** Its text. */
  readonly blocks: readonly NoteBlock[]
  readonly version: string
}

/** A note with its text in blocks, both of the same version. */
export async function getNote(id: string, signal?: AbortSignal): Promise<VersionedNote> {
  for (;;) {
    const [note, document] = await Promise.all([
      api.getVersion<{ data: Note }>(pathOf(id), { signal }),
      workspaceApi.getVersion<{ data: NoteDocument }>(`${pathOf(id)}/document`, { signal }),
    ])
    const { version } = note
    if (version === document.version) return { note: note.body.data, blocks: document.body.data.blocks, version }
  }
}

export interface NewNote {
  readonly object: string
  readonly recordId: string
  readonly title: string
  /** Markdown. */
  readonly content: string
}

export async function createNote(
  { object, recordId, title, content }: NewNote,
  options: Pick<RequestOptions, 'keepalive'>,
): Promise<{ note: Note; version: string }> {
  const data = { parent_object: object, parent_record_id: recordId, title, format: 'markdown', content }
  const { body, version } = await api.postVersion<{ data: Note }>('/notes', { body: { data }, ...options })
  return { note: body.data, version }
}

interface NoteChange {
  readonly title?: string
  /** Markdown. */
  readonly content?: string
}

/** Changes a note if it still has this version. */
export async function updateNote(
  id: string,
  { title, content }: NoteChange,
  options: Pick<RequestOptions, 'ifMatch' | 'keepalive'>,
): Promise<{ note: Note; version: string }> {
  const data = { ...(title !== undefined && { title }), ...(content !== undefined && { format: 'markdown', content }) }
  const { body, version } = await api.patchVersion<{ data: Note }>(pathOf(id), { body: { data }, ...options })
  return { note: body.data, version }
}

export const deleteNote = (id: string): Promise<unknown> => api.delete(pathOf(id))
