/** Creates and deletes files and folders. See docs/reference/files.md. */

import { readId } from '#base/errors/http'
import { getTargetId } from '#engine/attribute-types/formats/references'
import type { ApiContext } from '#context'
import { getObject } from '#engine/data-model/find'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { fileNotFound, noImage, unknownFolder, unknownNote } from '#base/errors/meetings'
import { unknownRecord } from '#base/errors/records'
import type { SavedFile } from '#api/http/guard/route'
import { newId } from '#base/ids'
import { lockAgainstDeletion } from '#engine/storage/read-entities'
import { timestampFromMicros } from '#base/timing/clock'
import { detectType } from '#crm/blobs/detect-type'
import { renderFile } from './read'
import type { CreateFileBody, FileEntryOutput, UploadBody } from './schemas'
import { deleteFileRows, type FileRow, insertFileRow, lockFolder, lockNoteOf } from './store'

/** Creates a folder, or connects a file or a folder of an external provider. Throws 400 for record and folder. */
export function createFileEntry(context: ApiContext, input: CreateFileBody): Promise<FileEntryOutput> {
  if (input.file_type === 'folder') return insertFile(context, input, { file_type: input.file_type, name: input.name })
  const { file_type, storage_provider, external_provider_file_id, microsoft_drive_id = null, url = null } = input
  const members = { file_type, storage_provider, external_provider_file_id, microsoft_drive_id, url }
  return insertFile(context, input, members)
}

/** The bytes of the file are stored. Throws 400 for record, folder and note, and for an image of a note that is none. */
export async function uploadFile(context: ApiContext, input: UploadBody, file: SavedFile): Promise<FileEntryOutput> {
  const detected = await detectType(file.beginning)
  if (input.note_id !== undefined && !isImage(detected)) throw noImage()
  return insertFile(context, input, {
    file_type: 'file',
    name: file.name,
    content_type: declaredTypeOf(file) ?? detected ?? UNKNOWN_TYPE,
    detected_type: detected ?? null,
    content_size: String(file.size),
    blob_digest: file.digest,
  })
}

/** The types that the service lets browsers show. */
const IMAGE_TYPES: readonly (string | undefined)[] = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]

const isImage = (type: string | undefined): boolean => IMAGE_TYPES.includes(type)

const UNKNOWN_TYPE = 'application/octet-stream'
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/

/** Undefined when the client sent no type, an invalid one, or the one for unknown bytes. */
function declaredTypeOf({ declaredType }: SavedFile): string | undefined {
  return declaredType !== UNKNOWN_TYPE && MEDIA_TYPE.test(declaredType) ? declaredType.toLowerCase() : undefined
}

const ABSENT = {
  parent_folder_id: null,
  note_id: null,
  name: null,
  content_type: null,
  detected_type: null,
  content_size: null,
  blob_digest: null,
  storage_provider: null,
  external_provider_file_id: null,
  microsoft_drive_id: null,
  url: null,
}

const insertFile = (
  context: ApiContext,
  input: Pick<UploadBody, 'object' | 'record_id' | 'parent_folder_id' | 'note_id'>,
  members: Pick<FileRow, 'file_type'> & Partial<FileRow>,
): Promise<FileEntryOutput> =>
  retryOnConflict(context, async (context) => {
    const { model, actor } = context
    const object = getObject(model, getTargetId(model, input.object))
    const recordId = input.record_id.toLowerCase()
    const folderId = input.parent_folder_id?.toLowerCase()
    const noteId = input.note_id?.toLowerCase()
    const inserted = await context.db.sql.begin(async (tx) => {
      if (!(await lockAgainstDeletion(tx, object, recordId))) throw unknownRecord(object.api_slug, input.record_id)
      const workspaceId = model.workspace.id
      if (folderId !== undefined && !(await lockFolder(tx, workspaceId, { recordId, folderId })))
        throw unknownFolder(folderId)
      if (noteId !== undefined && !(await lockNoteOf(tx, workspaceId, { recordId, noteId }))) throw unknownNote(noteId)
      const row: FileRow = {
        ...ABSENT,
        ...members,
        parent_folder_id: folderId ?? null,
        note_id: noteId ?? null,
        id: newId(),
        object_id: object.id,
        record_id: recordId,
        created_by: actor,
        created_at: timestampFromMicros(context.now()),
      }
      await insertFileRow(tx, workspaceId, row)
      return row
    })
    return renderFile(context, inserted as FileRow) // the driver's type for the callback's result is wider
  })

/**
 * Deletes a file, or a folder with all that it contains. The worker deletes bytes to which nothing refers any more. Throws 404.
 * See docs/reference/files.md (Delete).
 */
export const deleteFile = (context: ApiContext, fileId: string): Promise<object> =>
  retryOnConflict(context, async ({ db, model }) => {
    const id = readId('File', fileId)
    const isDeleted = await db.sql.begin((tx) => deleteFileRows(tx, model, id))
    if (isDeleted !== true) throw fileNotFound(fileId)
    return {}
  })
