/** Exports records as CSV or NDJSON. See docs/reference/query.md (Export). */

import type { ApiContext } from '#context'
import { getObject } from '#engine/data-model/find'
import { parseJsonParameter } from '#api/http/request/json-parameter'
import { exportStream } from '#api/http/response/export-stream'
import { startExport } from '#engine/query/export/export-entities'
import type { ExportQuery } from '#engine/query/export/schemas'
import type { JsonStream } from '#api/http/response/json-stream'
import { recordHeadWriter } from './render'

/** Throws 404 for the object, 400 for the parameters. */
export async function exportRecords(context: ApiContext, slugOrId: string, query: ExportQuery): Promise<JsonStream> {
  const filter = parseJsonParameter('filter', query.filter)
  const sorts = parseJsonParameter('sorts', query.sorts)
  const find = ({ model }: ApiContext) => getObject(model, slugOrId)
  const pieces = await startExport(context, { find, headWriter: recordHeadWriter }, { ...query, filter, sorts })
  return exportStream(pieces, find(context).api_slug, query.format)
}
