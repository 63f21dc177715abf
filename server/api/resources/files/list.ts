/** Lists the files and folders of a record. See docs/reference/files.md (List). */

import { getTargetId } from '#engine/attribute-types/formats/references'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { invalidQuery } from '#base/errors/http'
import { cursorsFor } from '#engine/query/run/cursor'
import { type FileList, listFileRows } from './list-statement'
import { renderFile } from './render'
import { type FileEntryOutput, type FilesQuery, isExternalProvider } from './schemas'

export interface FilePage {
  readonly data: readonly FileEntryOutput[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** In the order of creation. Throws 400 for an unknown object or provider, and for a cursor of another list. */
export const listFiles = (context: ApiContext, query: FilesQuery): Promise<FilePage> =>
  retryOnConflict(context, async (context) => {
    const { limit = 50, cursor } = query
    const cursors = await cursorsFor(context, { id: 'files' }, query)
    const list: FileList = {
      workspaceId: context.model.workspace.id,
      objectId: getTargetId(context.model, query.object),
      recordId: query.record_id.toLowerCase(),
      folderId: folderOf(query),
      provider: providerOf(context, query),
      after: cursor === undefined ? undefined : cursors.decode(cursor),
      limit: limit + 1,
    }
    // Folders contain no connected files.
    const isEmpty = typeof list.folderId === 'string' && typeof list.provider === 'string'
    const rows = isEmpty ? [] : await listFileRows(context.db, list)
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const next = last !== undefined && rows.length > limit ? cursors.encode([last.created_at, last.id]) : null
    return { data: page.map((row) => renderFile(context, row)), pagination: { next_cursor: next } }
  })

/** Null for entries in no folder, undefined for all entries. */
const folderOf = ({ parent_folder_id: id }: FilesQuery) => (id === 'null' ? null : id?.toLowerCase())

/** Null for the service itself, undefined for all providers. */
function providerOf({ brand }: ApiContext, { storage_provider: name }: FilesQuery): string | null | undefined {
  if (name === undefined || isExternalProvider(name)) return name
  if (name === brand) return null
  throw invalidQuery([{ code: 'invalid_option', path: ['storage_provider'], message: `"${name}" is not a provider` }])
}
