/** The files and folders of records. */

import type { StorageAnswer } from '#api/console/files/schemas'
import type { FileEntryOutput, FolderInput } from '#api/resources/files/schemas'
import type { CursorPage } from '../cursor-page'
import { api, credentials, workspaceApi } from '../client'

export type FileEntry = FileEntryOutput
export type StoredFile = Extract<FileEntry, { file_type: 'file' }>
export type Folder = Extract<FileEntry, { file_type: 'folder' }>

/** A record, and a folder of it; null for the top level. */
export interface RecordFolder {
  readonly object: string
  readonly recordId: string
  readonly folderId: string | null
}

/** The largest file that the service takes. */
export const MAX_FILE_BYTES = 50_000_000

const PAGE = 200

export const idOfFile = ({ id }: FileEntry): string => id.file_id

export const listFiles = (
  { object, recordId, folderId }: RecordFolder,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<CursorPage<FileEntry>> =>
  api.get<CursorPage<FileEntry>>('/files', {
    query: { object, record_id: recordId, parent_folder_id: folderId ?? 'null', limit: PAGE, cursor },
    signal,
  })

export const getFile = async (id: string, signal?: AbortSignal): Promise<FileEntry> =>
  (await api.get<{ data: FileEntry }>(filePath(id), { signal })).data

export async function createFolder({ object, recordId, folderId }: RecordFolder, name: string): Promise<void> {
  const parent = folderId === null ? {} : { parent_folder_id: folderId }
  const body: FolderInput = { object, record_id: recordId, file_type: 'folder', name, ...parent }
  await api.post('/files', { body })
}

interface UploadOptions {
  readonly signal: AbortSignal
  readonly onSent: (bytes: number) => void
}

export async function uploadFile(folder: RecordFolder, file: File, { signal, onSent }: UploadOptions): Promise<void> {
  const body = new FormData()
  body.set('object', folder.object)
  body.set('record_id', folder.recordId)
  if (folder.folderId !== null) body.set('parent_folder_id', folder.folderId)
  body.set('file', file)
  await api.post('/files/upload', { body, signal, onSent })
}

interface NoteOfRecord {
  readonly object: string
  readonly recordId: string
  readonly noteId: string
}

/** Stores an image of a note, and returns the id of the file. */
export async function uploadImage({ object, recordId, noteId }: NoteOfRecord, file: File): Promise<string> {
  if (file.size > MAX_FILE_BYTES) throw new Error('Images can have at most 50 MB.')
  const body = new FormData()
  body.set('object', object)
  body.set('record_id', recordId)
  body.set('note_id', noteId)
  body.set('file', file)
  return idOfFile((await api.post<{ data: FileEntry }>('/files/upload', { body })).data)
}

/** Shows or downloads a file. Its redirect to the content ends after five minutes, the URL itself does not. */
export const contentUrl = (id: string): string =>
  `/console/api/workspaces/${credentials.workspaceId()}/files/${encodeURIComponent(id)}/content`

/** The first bytes of a file as text. */
export async function readStart(id: string, bytes: number, signal?: AbortSignal): Promise<string> {
  const headers = { Range: `bytes=0-${bytes - 1}` }
  const response = await fetch(contentUrl(id), { headers, ...(signal && { signal }) })
  if (response.status === 416) return '' // an empty file has no such range
  requireRead(response)
  return response.text()
}

/** A file with its content, as one that a person chose. */
export async function readWhole(entry: StoredFile): Promise<File> {
  const response = await fetch(contentUrl(idOfFile(entry)))
  requireRead(response)
  const content = await response.blob()
  return new File([content], entry.name, { type: content.type })
}

function requireRead({ ok, status }: Response): void {
  if (!ok) throw new Error(`The file could not be read: ${status}.`)
}

export const deleteFile = (id: string): Promise<unknown> => api.delete(filePath(id))

const filePath = (id: string): string => `/files/${encodeURIComponent(id)}`

/** How many files the workspace stores, and their bytes. */
export const measureStorage = async (signal: AbortSignal): Promise<StorageAnswer['data']> =>
  (await workspaceApi.get<StorageAnswer>('/storage', { signal })).data
