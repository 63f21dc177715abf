/** Notes. They are listed and opened through the console's own routes, and written through the API. */

import type { NoteBlock, NoteDetail, NoteItem, NoteLine, NotePage } from '../../../../server/console/notes/schemas'
import type { NoteOutput } from '../../../../server/resources/notes/schemas'
import { api, type RequestOptions, workspaceApi } from '../client'

export type { NoteBlock, NoteDetail, NoteItem, NoteLine, NotePage }

export interface NoteQuery {
  /** Words of the title. */
  readonly title?: string | undefined
  /** The id of a member. */
  readonly author?: string | undefined
  readonly object?: string | undefined
  readonly record_id?: string | undefined
  readonly limit?: number
  readonly cursor?: string | null
}

const pathOf = (id: string): string => `/notes/${encodeURIComponent(id)}`

/** The latest first. */
export const listNotes = (query: NoteQuery, signal?: AbortSignal): Promise<NotePage> =>
  workspaceApi.get<NotePage>('/notes', { query: { ...query }, signal })

/** A note with its text in blocks, as the editor shows it. */
export async function getNote(id: string, signal?: AbortSignal): Promise<{ note: NoteDetail; version: string }> {
  const { body, version } = await workspaceApi.getVersion<{ data: NoteDetail }>(pathOf(id), { signal })
  return { note: body.data, version }
}

/** A note without a title and without text. */
export async function createNote(object: string, recordId: string): Promise<string> {
  const data = { parent_object: object, parent_record_id: recordId, title: '', format: 'markdown', content: '' }
  return (await api.post<{ data: NoteOutput }>('/notes', { body: { data } })).data.id.note_id
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
): Promise<{ note: NoteOutput; version: string }> {
  const data = { ...(title !== undefined && { title }), ...(content !== undefined && { format: 'markdown', content }) }
  const { body, version } = await api.patchVersion<{ data: NoteOutput }>(pathOf(id), { body: { data }, ...options })
  return { note: body.data, version }
}

export const deleteNote = (id: string): Promise<unknown> => api.delete(pathOf(id))
