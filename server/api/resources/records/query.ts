import type { ApiContext } from '#context'
import { getObject } from '#engine/data-model/find'
import type { JsonText } from '#api/http/response/answer'
import { type JsonStream, queryAnswer } from '#api/http/response/json-stream'
import { projectionOf } from '#engine/query/resolve/projection'
import { queryEntities } from '#engine/query/run/query-entities'
import { pageBody } from '#engine/query/run/send-page'
import type { QueryBody } from '#engine/query/parse/schemas'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { recordHeadWriter } from './render'

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
