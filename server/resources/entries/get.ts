import { getList } from '../../access/list-access'
import { onLookups } from '../../../db/lookup-pool'
import type { Call } from '../../call'
import { entryNotFound } from '../../errors/errors'
import { attempt } from '../../entities/write/retry-on-conflict'
import { entryIdOf } from '../../entities/read/path-id'
import { findRow } from '../../entities/read/read-entities'
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
