import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import type { JsonText } from '#api/http/response/answer'
import { type JsonStream, queryAnswer } from '#api/http/response/json-stream'
import { projectionOf } from '#engine/query/resolve/projection'
import { queryEntities } from '#engine/query/run/query-entities'
import { pageBody } from '#engine/query/run/send-page'
import type { QueryBody } from '#engine/query/parse/schemas'
import { headAsText } from '#engine/entities/read/render'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { entryHead } from './render'

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
