/** Reads a file or folder, and makes the URL of its content. See docs/reference/files.md (Get, Download). */

import { runOnLookupPool } from '#db/lookup-pool'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { ApiContext } from '#context'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { fileNotFound, notDownloadable } from '#base/errors/files'
import { invalidRequest } from '#base/errors/http'
import { signDownload } from '#api/http/signed-downloads/sign-download'
import { renderFile } from './render'
import type { FileEntryOutput } from './schemas'
import { type FileRow, findFileRow, hasChildren } from './store'

/** Throws 404, and 400 when the id is not a UUID. */
export const getFile = (context: ApiContext, fileId: string): Promise<FileEntryOutput> =>
  retryOnConflict(context, async (context) => {
    const row = await getFileRow(context, fileId)
    const entry = renderFile(context, row)
    if (entry.file_type !== 'folder') return entry
    return { ...entry, has_children: await hasChildren(context.db.sql, context.model.workspace.id, row.id) }
  })

/** Returns a URL that needs no token. Throws 404, and 400 for an entry without content. */
export async function signFileDownload(context: ApiContext, fileId: string): Promise<string> {
  const { file_type, name, blob_digest: digest, detected_type: type } = await getFileRow(context, fileId)
  if (digest === null || name === null) throw notDownloadable(file_type)
  const workspaceId = context.model.workspace.id
  const download = { workspaceId, digest, fileName: name, type: type ?? 'application/octet-stream' }
  return context.appUrl + (await signDownload(context, download))
}

async function getFileRow({ db, model }: ApiContext, fileId: string): Promise<FileRow> {
  const id = fileIdOf(fileId)
  const row = await runOnLookupPool(db, (sql) => findFileRow(sql, model.workspace.id, id))
  if (row === undefined || isHiddenObjectId(model, row.object_id)) throw fileNotFound(fileId)
  return row
}

/** In lower case. Throws 400 when it is not a UUID. */
export function fileIdOf(text: string): string {
  if (!isUuid(text)) throw invalidRequest(`File ID "${text}" is not a UUID.`)
  return text.toLowerCase()
}
