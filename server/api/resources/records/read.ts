/** Reads records: one, queries, exports and histories of values. See docs/reference/records.md. */

import { runOnLookupPool } from '#db/lookup-pool'
import type { ApiContext } from '#context'
import { getObject } from '#engine/data-model/find'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { missingRecord, recordIdOf } from '#engine/entities/read/etag'
import { findRow } from '#engine/storage/read-entities'
import { type AnsweredRecord, answerRecord, recordHeadWriter } from './render'
import type { JsonText } from '#api/http/response/answer'
import { exportStream, type JsonStream, queryAnswer } from '#api/http/response/export-stream'
import { projectionOf } from '#engine/query/resolve/resolve-query'
import { queryEntities } from '#engine/query/run/query-entities'
import { pageBody } from '#engine/query/run/send-page'
import type { QueryBody } from '#engine/query/parse/schemas'
import { parseJsonParameter } from '#api/http/request/read-parameters'
import { type ExportQuery, startExport } from '#engine/query/export/export-entities'
import { type ListedValues, listValues, type ValuesQuery } from '#engine/entities/history/list-values'

/** Returns one record. Throws 404 for the object and for the record; the error names the record that it was merged into. */
export const getRecord = (context: ApiContext, object: string, recordId: string): Promise<AnsweredRecord> =>
  retryOnConflict(context, async (context) => {
    const entityType = getObject(context.model, object)
    const id = recordIdOf(recordId)
    const row = await runOnLookupPool(context.db, (sql) => findRow(sql, context.model, entityType, id))
    if (!row) throw await missingRecord(context, entityType, id)
    return answerRecord(context, entityType, row)
  })

/** Returns a page of records. Throws 404 for the object, 400 for the query. See docs/reference/query.md. */
export const queryRecords = (
  context: ApiContext,
  objectSlug: string,
  body: QueryBody,
): Promise<JsonText | JsonStream> =>
  retryOnConflict(context, async (context) => {
    const object = getObject(context.model, objectSlug)
    const renderer = projectionOf(context.model, object, body.fields)
    const writeHead = recordHeadWriter(context, object)
    const page = await queryEntities(context, object, body, {
      select: renderer.layout.selectPage,
      render: (message, writer) => renderer.renderMessage(message, writer, writeHead),
    })
    return queryAnswer(pageBody(page), page.score)
  })

// Exports records as CSV or NDJSON. See docs/reference/query.md (Export).

/** Throws 404 for the object, 400 for the parameters. */
export async function exportRecords(context: ApiContext, slugOrId: string, query: ExportQuery): Promise<JsonStream> {
  const filter = parseJsonParameter('filter', query.filter)
  const sorts = parseJsonParameter('sorts', query.sorts)
  const find = ({ model }: ApiContext) => getObject(model, slugOrId)
  const pieces = await startExport(context, { find, headWriter: recordHeadWriter }, { ...query, filter, sorts })
  return exportStream(pieces, find(context).api_slug, query.format)
}

export interface ValuesPath {
  readonly object: string
  readonly recordId: string
  readonly attribute: string
}

/**
 * Returns the values of one attribute of a record as JSON text. Throws 404 for object, record and attribute.
 * See docs/reference/values.md (History).
 */
export const listRecordValues = (context: ApiContext, path: ValuesPath, query: ValuesQuery): Promise<ListedValues> =>
  retryOnConflict(context, async (context) => {
    const object = getObject(context.model, path.object)
    const id = recordIdOf(path.recordId)
    const text = await listValues(context, object, id, path.attribute, query)
    if (text === undefined) throw await missingRecord(context, object, id)
    return text
  })
