/**
 * Reads entries: one, queries, aggregates, exports, histories, and the entries of a record.
 * See docs/reference/lists-and-entries.md.
 */

import { getList, visibleLists } from '#access/list-access/list-access'
import { runOnLookupPool } from '#db/lookup-pool'
import type { ApiContext, RequestContext } from '#context'
import { entryNotFound } from '#base/errors/attributes'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { entryIdOf, missingRecord, recordIdOf } from '#engine/entities/read/etag'
import { findRow } from '#engine/storage/read-entities'
import { type AnsweredEntry, answerEntry, entryHead } from './render'
import { JsonText } from '#api/http/response/answer'
import { exportStream, type JsonStream, queryAnswer } from '#api/http/response/export-stream'
import { projectionOf } from '#engine/query/resolve/resolve-query'
import { queryEntities } from '#engine/query/run/query-entities'
import { pageBody } from '#engine/query/run/send-page'
import type { QueryBody } from '#engine/query/parse/schemas'
import { headAsText } from '#engine/entities/read/render'
import { aggregateEntities } from '#engine/query/aggregate/aggregate-entities'
import type { AggregateBody } from '#engine/query/aggregate/schemas'
import type { DataModel, ListType } from '#engine/data-model/model'
import { parseJsonParameter } from '#api/http/request/read-parameters'
import { type ExportQuery, startExport } from '#engine/query/export/export-entities'
import { getObject } from '#engine/data-model/find'
import { timestampFromPostgres } from '#base/timing/clock'
import { createRecordLookup, listsOf } from '#engine/storage/find-records'
import type { RecordEntriesQuery, RecordEntry } from './schemas'
import { type EntryRow, listEntriesOf } from '#engine/storage/statements/find-entries'
import { type ListedValues, listValues, type ValuesQuery } from '#engine/entities/history/list-values'
import { type DatedValueInput, writeValues } from '#engine/entities/history/write-values'

/** Returns one entry. Throws 404 for the list and for the entry. */
export const getEntry = (context: RequestContext, slugOrId: string, entryId: string): Promise<AnsweredEntry> =>
  retryOnConflict(context, async (context) => {
    const list = getList(context, slugOrId, 'read-only')
    const id = entryIdOf(entryId)
    const row = await runOnLookupPool(context.db, (sql) => findRow(sql, context.model, list, id))
    if (!row) throw entryNotFound(id)
    return answerEntry(context, list, row)
  })

/** Returns a page of entries. Throws 404 for the list, 400 for the query. See docs/reference/query.md. */
export const queryEntries = (
  context: RequestContext,
  slugOrId: string,
  body: QueryBody,
): Promise<JsonText | JsonStream> =>
  retryOnConflict(context, async (context) => {
    const { model } = context
    const list = getList(context, slugOrId, 'read-only')
    const renderer = projectionOf(model, list, body.fields)
    const writeHead = headAsText((row) => entryHead(model, list, row))
    const page = await queryEntities(context, list, body, {
      select: renderer.layout.selectPage,
      render: (message, writer) => renderer.renderMessage(message, writer, writeHead),
    })
    return queryAnswer(pageBody(page), page.score)
  })

/** Computes aggregates of entries. Throws 404 for the list, 400 for the body. See docs/reference/query.md (Aggregates). */
export const aggregateEntries = (context: RequestContext, slugOrId: string, body: AggregateBody): Promise<JsonText> =>
  retryOnConflict(context, async (context) => {
    const { data, score } = await aggregateEntities(context, getList(context, slugOrId, 'read-only'), body)
    return new JsonText(JSON.stringify({ data }), { queryScore: score })
  })

// Exports entries as CSV or NDJSON. See docs/reference/query.md (Export).

/** Throws 404 for the list, 400 for the parameters. */
export async function exportEntries(context: ApiContext, slugOrId: string, query: ExportQuery): Promise<JsonStream> {
  const filter = parseJsonParameter('filter', query.filter)
  const sorts = parseJsonParameter('sorts', query.sorts)
  const find = (context: ApiContext) => getList(context, slugOrId, 'read-only')
  const headWriter = ({ model }: ApiContext, list: ListType) => headAsText((row) => entryHead(model, list, row))
  const pieces = await startExport(context, { find, headWriter }, { ...query, filter, sorts })
  return exportStream(pieces, find(context).api_slug, query.format)
}

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
    const id = recordIdOf(recordId)
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

/** The active and historic values of one attribute of an entry. See docs/reference/values.md (History). */
interface ValuesPath {
  readonly list: string
  readonly entryId: string
  readonly attribute: string
}

/** Returns the values as JSON text. Throws 404 for list, entry and attribute. */
export const listEntryValues = (context: RequestContext, path: ValuesPath, query: ValuesQuery): Promise<ListedValues> =>
  retryOnConflict(context, async (context) => {
    const list = getList(context, path.list, 'read-only')
    const id = entryIdOf(path.entryId)
    return orNotFound(id, await listValues(context, list, id, path.attribute, query))
  })

/** Replaces the history. Throws 404 for list, entry and attribute, 403 for the list. */
export const writeEntryValues = (
  context: RequestContext,
  path: ValuesPath,
  inputs: readonly DatedValueInput[],
): Promise<string> =>
  retryOnConflict(context, async (context) => {
    const list = getList(context, path.list, 'read-and-write')
    const id = entryIdOf(path.entryId)
    return orNotFound(id, await writeValues(context, list, id, path.attribute, inputs))
  })

function orNotFound<T extends ListedValues>(id: string, text: T | undefined): T {
  if (text === undefined) throw entryNotFound(id)
  return text
}
