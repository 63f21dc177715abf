import { readId } from '#base/errors/http'
import { visibleLists } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { timestampFromPostgres } from '#base/timing/clock'
import { getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { missingRecord } from '#engine/entities/read/etag'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { createRecordLookup, listsOf, type EntryRow, listEntriesOf } from '#engine/storage/read-entities'
import type { RecordEntriesQuery, RecordEntry } from './schemas'

/**
 * Lists the entries of a record in the lists that the caller can see, the newest last. Throws 404 for object and record.
 * See docs/reference/lists-and-entries.md (Entries of a record).
 */
export const listRecordEntries = (
  context: RequestContext,
  slugOrId: string,
  recordId: string,
  { limit = 100, offset = 0 }: RecordEntriesQuery,
): Promise<RecordEntry[]> =>
  retryOnConflict(context, async (context) => {
    const { model, db } = context
    const object = getObject(model, slugOrId)
    const id = readId('Record', recordId)
    if (!(await createRecordLookup(db.sql, model).recordExists(object, id)))
      throw await missingRecord(context, object, id)
    const visible = new Set(visibleLists(context))
    const lists = listsOf(model, object).filter((list) => visible.has(list))
    const rows = await listEntriesOf(context.db.sql, lists, id, { limit, offset })
    return rows.flatMap((row) => renderRow(model, row))
  })

/** The data model has the list, because the statement was made from the same data model. */
function renderRow(model: DataModel, { list, id, created_at }: EntryRow): RecordEntry[] {
  const entityType = model.entityTypesByNumber.get(list)
  if (!entityType) return []
  const { id: list_id, api_slug: list_api_slug } = entityType
  return [{ list_id, list_api_slug, entry_id: id, created_at: timestampFromPostgres(created_at) }]
}
