import { getList } from '#access/list-access/list-access'
import { runOnLookupPool } from '#db/lookup-pool'
import type { RequestContext } from '#context'
import { entryNotFound } from '#base/errors/lists'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { entryIdOf } from '#engine/entities/read/path-id'
import { findRow } from '#engine/storage/read-entities'
import { type AnsweredEntry, answerEntry } from './answer'

/** Returns one entry. Throws 404 for the list and for the entry. */
export const getEntry = (context: RequestContext, slugOrId: string, entryId: string): Promise<AnsweredEntry> =>
  retryOnConflict(context, async (context) => {
    const list = getList(context, slugOrId, 'read-only')
    const id = entryIdOf(entryId)
    const row = await runOnLookupPool(context.db, (sql) => findRow(sql, context.model, list, id))
    if (!row) throw entryNotFound(id)
    return answerEntry(context, list, row)
  })
