import { getList } from '../../access/list-access/list-access'
import type { RequestContext } from '../../context'
import { entryNotFound } from '../../errors/lists'
import { retryOnConflict } from '../../entities/write/retry-on-conflict'
import { deleteEntryEntity } from '../../entities/write/delete-entity'
import { requireMatch } from '../../entities/read/etag'
import { entryIdOf } from '../../entities/read/path-id'

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
    const deleted = await deleteEntryEntity(context, list, id, (entity) => requireMatch(entity, ifMatch))
    if (!deleted) throw entryNotFound(id)
    return {}
  })
