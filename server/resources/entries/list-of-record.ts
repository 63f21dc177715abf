import { visibleLists } from '../../access/list-access'
import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import type { DataModel } from '../../data-model/model'
import { timestampFromPostgres } from '../../timing/clock'
import { attempt } from '../../entities/write/retry-on-conflict'
import { recordLookup } from '../../entities/read/lookup'
import { listsOf } from '../../entities/read/parent'
import { missingRecord, recordIdOf } from '../../entities/read/path-id'
import type { RecordEntriesQuery, RecordEntry } from './schemas'
import { type EntryRow, listEntriesOf } from './store'

/**
 * Where a record is an entry, the newest last, as far as the call may see the lists. Throws 404 for object and record.
 * Spec: resources 4.
 */
export const listRecordEntries = (
  call: Call,
  slugOrId: string,
  recordId: string,
  { limit = 100, offset = 0 }: RecordEntriesQuery,
): Promise<RecordEntry[]> =>
  attempt(call, async (call) => {
    const { model, db } = call
    const object = getObject(model, slugOrId)
    const id = recordIdOf(recordId)
    if (!(await recordLookup(db.sql, model).recordExists(object, id))) throw await missingRecord(call, id)
    const visible = new Set(visibleLists(call))
    const lists = listsOf(model, object).filter((list) => visible.has(list))
    const rows = await listEntriesOf(call, lists, id, { limit, offset })
    return rows.flatMap((row) => renderRow(model, row))
  })

/** The list is known: its table was named by the same data model. */
function renderRow(model: DataModel, { list, id, created_at }: EntryRow): RecordEntry[] {
  const owner = model.ownersByNumber.get(list)
  if (!owner) return []
  const { id: list_id, api_slug: list_api_slug } = owner
  return [{ list_id, list_api_slug, entry_id: id, created_at: timestampFromPostgres(created_at) }]
}
