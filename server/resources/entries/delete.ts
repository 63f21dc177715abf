import { getList } from '../../access/list-access'
import type { Call } from '../../call'
import { entryNotFound } from '../../errors/errors'
import { attempt } from '../../entities/write/retry-on-conflict'
import { deleteEntryHolder } from '../../entities/write/delete-entity'
import { requireMatch } from '../../entities/read/etag'
import { entryIdOf } from '../../entities/read/path-id'

/**
 * Takes a record out of a list for good; the record stays. Throws 404 for list and entry, 403 for the list, 412 when the
 * entry is at another version than `ifMatch` names. Spec: resources 5.1.
 */
export const deleteEntry = (call: Call, slugOrId: string, entryId: string, ifMatch: string | null): Promise<object> =>
  attempt(call, async (call) => {
    const list = getList(call, slugOrId, 'read-and-write')
    const id = entryIdOf(entryId)
    const deleted = await deleteEntryHolder(call, list, id, (holder) => requireMatch(holder, ifMatch))
    if (!deleted) throw entryNotFound(id)
    return {}
  })
