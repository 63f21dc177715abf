/** Wire shapes of files and folders. See docs/reference/files.md (Members, List). */

import { type Static, Type } from 'typebox'

const Uuid = Type.String({ format: 'uuid' })
const MAX_TEXT = 1000
const MAX_NAME = 255
const MAX_CURSOR = 1000

const Slug = Type.String({ minLength: 1, maxLength: MAX_TEXT })

const PROVIDERS = ['dropbox', 'box', 'google-drive', 'microsoft-onedrive'] as const
const ExternalProvider = Type.Enum([...PROVIDERS])

export const isExternalProvider = (text: string): boolean => PROVIDERS.some((provider) => provider === text)

/** An address without spaces, control characters, quotes and user names. */
const HTTPS = '^https://[^\\s\\x00-\\x1f"<>@/?#]+([/?#][^\\s\\x00-\\x1f"<>]*)?$'

const onRecord = { object: Slug, record_id: Uuid }
const parent_folder_id = Type.Optional(Uuid)

export const FolderInput = Type.Object({
  ...onRecord,
  file_type: Type.Literal('folder'),
  name: Type.String({ minLength: 1, maxLength: MAX_NAME }),
  parent_folder_id,
})
export type FolderInput = Static<typeof FolderInput>

const MAX_URL = 2000

const connected = {
  ...onRecord,
  storage_provider: ExternalProvider,
  external_provider_file_id: Type.String({ minLength: 1, maxLength: MAX_TEXT }),
  microsoft_drive_id: Type.Optional(Type.Union([Type.String({ maxLength: MAX_TEXT }), Type.Null()])),
  url: Type.Optional(
    Type.Union([Type.String({ pattern: HTTPS, maxLength: MAX_URL }), Type.Null()], {
      description: 'The address at which the provider opens it, with https.',
    }),
  ),
}
const ConnectedInput = Type.Union([
  Type.Object({ ...connected, file_type: Type.Literal('connected-file') }),
  Type.Object({ ...connected, file_type: Type.Literal('connected-folder') }),
])
export type ConnectedInput = Static<typeof ConnectedInput>

export const CreateFileBody = Type.Union([FolderInput, ...ConnectedInput.anyOf])
export type CreateFileBody = Static<typeof CreateFileBody>

/** The texts of an upload. */
export const UploadBody = Type.Object({
  ...onRecord,
  parent_folder_id,
  note_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'A note of the record. The file is an image in it, and is deleted with it.',
    }),
  ),
})
export type UploadBody = Static<typeof UploadBody>

export const FilesQuery = Type.Object({
  ...onRecord,
  storage_provider: Type.Optional(Type.String({ maxLength: MAX_TEXT })),
  parent_folder_id: Type.Optional(
    Type.Union([Uuid, Type.Literal('null')], { description: 'All levels without it; `null` for the top level.' }),
  ),
  note_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'The images of a note, which the list leaves out without it.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: MAX_CURSOR })),
})
export type FilesQuery = Static<typeof FilesQuery>

const common = {
  id: Type.Object({ workspace_id: Uuid, file_id: Uuid }),
  object_id: Uuid,
  object_slug: Type.String(),
  record_id: Uuid,
  storage_provider: Type.String(),
  created_by_actor: Type.Object({ type: Type.String(), id: Type.Union([Uuid, Type.Null()]) }),
  created_at: Type.String({ format: 'date-time' }),
}
const parent = Type.Union([Uuid, Type.Null()])

const FileOutput = Type.Object({
  ...common,
  file_type: Type.Literal('file'),
  name: Type.String(),
  content_type: Type.Union([Type.String(), Type.Null()]),
  content_size: Type.Union([Type.Integer(), Type.Null()]),
  parent_folder_id: parent,
  note_id: Type.Union([Uuid, Type.Null()], { description: 'The note in which the file is an image.' }),
})

const FolderOutput = Type.Object({
  ...common,
  file_type: Type.Literal('folder'),
  name: Type.String(),
  parent_folder_id: parent,
  has_children: Type.Optional(Type.Boolean({ description: 'Only in the answer for a single folder.' })),
})

const ConnectedOutput = Type.Object({
  ...common,
  file_type: Type.Enum(['connected-file', 'connected-folder']),
  external_provider_file_id: Type.String(),
  microsoft_drive_id: Type.Union([Type.String(), Type.Null()]),
  url: Type.Union([Type.String(), Type.Null()], { description: 'The address at which the provider opens it.' }),
})

export const FileEntryOutput = Type.Union([FileOutput, FolderOutput, ConnectedOutput])
export type FileEntryOutput = Static<typeof FileEntryOutput>

export const FileAnswer = Type.Object({ data: FileOutput })
export const FileEntryAnswer = Type.Object({ data: FileEntryOutput })
export const FilesAnswer = Type.Object({
  data: Type.Array(FileEntryOutput),
  pagination: Type.Object({ next_cursor: Type.Union([Type.String(), Type.Null()]) }),
})
