import { getList } from '../../access/list-access'
import { onLookups } from '../../../db/lookups'
import type { Call } from '../../call'
import { entryNotFound } from '../../errors'
import { attempt } from '../../values/attempt'
import { entryIdOf } from '../../values/path-id'
import { findRow } from '../../values/read'
import { type AnsweredEntry, answerEntry } from './answer'

/** One entry. Throws 404 for the list and for the entry. */
export const getEntry = (call: Call, slugOrId: string, entryId: string): Promise<AnsweredEntry> =>
  attempt(call, async (call) => {
    const list = getList(call, slugOrId, 'read-only')
    const id = entryIdOf(entryId)
    const row = await onLookups(call.db, (sql) => findRow(sql, call.model, list, id))
    if (!row) throw entryNotFound(id)
    return answerEntry(call, list, row)
  })
