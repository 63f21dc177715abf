import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import type { Scope } from '#vocabulary/scopes'
import { createFileEntry, deleteFile, uploadFile } from './write'
import { getFile, listFiles, signFileDownload } from './read'
import { CreateFileBody, FileAnswer, FileEntryAnswer, FilesAnswer, FilesQuery, UploadBody } from './schemas'

const tag = 'Files'
const READ: readonly Scope[] = ['file:read', 'object_configuration:read', 'record_permission:read']
const WRITE: readonly Scope[] = ['file:read-write', 'object_configuration:read', 'record_permission:read']

/** See docs/reference/files.md. */
export const fileRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'files' })
    .get(
      ...guard(
        '/v2/files',
        {
          operation: 'listFiles',
          summary: 'List the files and folders of a record',
          tag,
          scopes: READ,
          query: FilesQuery,
          response: FilesAnswer,
        },
        ({ context, query }) => listFiles(context, query),
      ),
    )
    .post(
      ...guard(
        '/v2/files',
        {
          operation: 'createFileEntry',
          summary: 'Create a folder, or connect a file or folder of another provider',
          tag,
          scopes: WRITE,
          body: CreateFileBody,
          response: FileEntryAnswer,
        },
        async ({ context, body }) => ({ data: await createFileEntry(context, body) }),
      ),
    )
    .post(
      ...guard.upload(
        '/v2/files/upload',
        {
          operation: 'uploadFile',
          summary: 'Upload a file',
          description: 'The body is `multipart/form-data` with at most 50 MB in the part `file`.',
          tag,
          scopes: WRITE,
          body: UploadBody,
          status: 201,
          response: FileAnswer,
        },
        async ({ context, body, file }) =>
          new JsonText(JSON.stringify({ data: await uploadFile(context, body, file) }), { status: 201 }),
      ),
    )
    .get(
      ...guard(
        '/v2/files/:file_id',
        { operation: 'getFile', summary: 'Get a file or folder', tag, scopes: READ, response: FileEntryAnswer },
        async ({ context, params }) => ({ data: await getFile(context, params.file_id) }),
      ),
    )
    .get(
      ...guard(
        '/v2/files/:file_id/download',
        {
          operation: 'downloadFile',
          summary: 'Download a file',
          description: 'Redirects to a URL that works without a token for five minutes.',
          tag,
          scopes: READ,
          status: 302,
          followedBy: 'application/octet-stream',
          response: undefined,
        },
        async ({ context, params }) => redirectTo(await signFileDownload(context, params.file_id)),
      ),
    )
    .delete(
      ...guard(
        '/v2/files/:file_id',
        { operation: 'deleteFile', summary: 'Delete a file or folder', tag, scopes: WRITE, response: EmptyAnswer },
        ({ context, params }) => deleteFile(context, params.file_id),
      ),
    )

const redirectTo = (url: string): JsonText => new JsonText('', { status: 302, headers: { Location: url } })
