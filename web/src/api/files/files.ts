/** The files and folders of records. */

import type { FileEntryOutput, FolderInput } from '../../../../server/resources/files/schemas'
import type { CursorPage } from '../cursor-page'
import { api } from '../client'

export type FileEntry = FileEntryOutput
export type StoredFile = Extract<FileEntry, { file_type: 'file' }>
export type Folder = Extract<FileEntry, { file_type: 'folder' }>
export type ConnectedEntry = Exclude<FileEntry, StoredFile | Folder>

/** A record, and a folder of it; null for the top level. */
export interface FilePlace {
  readonly object: string
  readonly recordId: string
  readonly folderId: string | null
}

/** The largest file that the service takes. */
export const MAX_FILE_BYTES = 50_000_000

const PAGE = 200

export const idOfFile = ({ id }: FileEntry): string => id.file_id

export const listFiles = (
  { object, recordId, folderId }: FilePlace,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<CursorPage<FileEntry>> =>
  api.get<CursorPage<FileEntry>>('/files', {
    query: { object, record_id: recordId, parent_folder_id: folderId ?? 'null', limit: PAGE, cursor },
    signal,
  })

export const getFile = async (id: string, signal?: AbortSignal): Promise<FileEntry> =>
  (await api.get<{ data: FileEntry }>(filePath(id), { signal })).data

export async function createFolder({ object, recordId, folderId }: FilePlace, name: string): Promise<void> {
  const parent = folderId === null ? {} : { parent_folder_id: folderId }
  const body: FolderInput = { object, record_id: recordId, file_type: 'folder', name, ...parent }
  await api.post('/files', { body })
}

interface UploadOptions {
  readonly signal: AbortSignal
  readonly onSent: (bytes: number) => void
}

export async function uploadFile(place: FilePlace, file: File, { signal, onSent }: UploadOptions): Promise<void> {
  const body = new FormData()
  body.set('object', place.object)
  body.set('record_id', place.recordId)
  if (place.folderId !== null) body.set('parent_folder_id', place.folderId)
  body.set('file', file)
  await api.post('/files/upload', { body, signal, onSent })
}

/** A URL under which the browser can show or download the file for five minutes. */
export async function signDownload(id: string, signal?: AbortSignal): Promise<string> {
  const response = await api.open(`${filePath(id)}/download`, { signal })
  await response.body?.cancel() // the request was redirected to the file, and only its URL is needed
  return response.url
}

export const deleteFile = (id: string): Promise<unknown> => api.delete(filePath(id))

const filePath = (id: string): string => `/files/${encodeURIComponent(id)}`
