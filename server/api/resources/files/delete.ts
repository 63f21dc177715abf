import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { fileNotFound } from '#base/errors/files'
import { fileIdOf } from './get'
import { deleteFileRows } from './store'

/**
 * Deletes a file, or a folder with all that it contains. The worker deletes bytes to which nothing refers any more. Throws 404.
 * See docs/reference/files.md (Delete).
 */
export const deleteFile = (context: ApiContext, fileId: string): Promise<object> =>
  retryOnConflict(context, async ({ db, model }) => {
    const id = fileIdOf(fileId)
    const isDeleted = await db.sql.begin((tx) => deleteFileRows(tx, model, id))
    if (isDeleted !== true) throw fileNotFound(fileId)
    return {}
  })
