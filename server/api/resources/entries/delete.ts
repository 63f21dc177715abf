import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import type { ApiError } from '#base/errors/api-error'
import { entryNotFound } from '#base/errors/lists'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { deleteEntryEntities } from '#engine/entities/write/delete-entity'
import { requireMatch } from '#engine/entities/read/etag'
import { entryIdOf } from '#engine/entities/read/path-id'

/**
 * Deletes an entry, not its record. Throws 404 for list and entry, 403 for the list, 412 when the entry has another version
 * than `ifMatch` names. See docs/reference/lists-and-entries.md (Entries).
 */
export const deleteEntry = (
  context: RequestContext,
  slugOrId: string,
  entryId: string,
  ifMatch: string | null,
): Promise<object> =>
  retryOnConflict(context, async (context) => {
    const list = getList(context, slugOrId, 'read-and-write')
    const id = entryIdOf(entryId)
    const deleted = await deleteEntryEntities(context, list, [id], (entity) => requireMatch(entity, ifMatch))
    if (!deleted.has(id)) throw entryNotFound(id)
    return {}
  })

/**
 * Deletes entries with shared statements, as if `deleteEntry` deleted one after the other. The ids differ. Returns an error for each
 * entry that does not exist.
 */
export const deleteEntries = (
  context: RequestContext,
  slugOrId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ApiError>> =>
  retryOnConflict(context, async (context) => {
    const deleted = await deleteEntryEntities(context, getList(context, slugOrId, 'read-and-write'), ids, () => {})
    return new Map(ids.flatMap((id) => (deleted.has(id) ? [] : [[id, entryNotFound(id)]])))
  })
