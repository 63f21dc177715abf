/** Exports entries as CSV or NDJSON. See docs/reference/query.md (Export). */

import { getList } from '#access/list-access/list-access'
import type { ApiContext } from '#context'
import type { ListType } from '#engine/data-model/model'
import { headAsText } from '#engine/entities/read/render'
import { parseJsonParameter } from '#api/http/request/json-parameter'
import { exportStream } from '#api/http/response/export-stream'
import { startExport } from '#engine/query/export/export-entities'
import type { ExportQuery } from '#engine/query/export/schemas'
import type { JsonStream } from '#api/http/response/json-stream'
import { entryHead } from './render'

/** Throws 404 for the list, 400 for the parameters. */
export async function exportEntries(context: ApiContext, slugOrId: string, query: ExportQuery): Promise<JsonStream> {
  const filter = parseJsonParameter('filter', query.filter)
  const sorts = parseJsonParameter('sorts', query.sorts)
  const find = (context: ApiContext) => getList(context, slugOrId, 'read-only')
  const headWriter = ({ model }: ApiContext, list: ListType) => headAsText((row) => entryHead(model, list, row))
  const pieces = await startExport(context, { find, headWriter }, { ...query, filter, sorts })
  return exportStream(pieces, find(context).api_slug, query.format)
}
