import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import { JsonText } from '../../http/response/answer'
import { projectionOf } from '../../query/resolve/projection'
import { pageBody } from '../../query/run/page-body'
import { queryHolders } from '../../query/run/query-entities'
import type { QueryBody } from '../../query/parse/wire'
import { attempt } from '../../entities/write/retry-on-conflict'
import { renderRecord } from './render'

/** A page of records. Throws 404 for the object, 400 for the query. Spec: query. */
export const queryRecords = (call: Call, objectSlug: string, body: QueryBody): Promise<JsonText> =>
  attempt(call, async (call) => {
    const object = getObject(call.model, objectSlug)
    const renderer = projectionOf(call.model, object, body.fields)
    const page = await queryHolders(call, object, body, {
      select: renderer.layout.select,
      render: (row) => renderRecord(call, object, row, renderer),
    })
    return new JsonText(pageBody(page), { queryScore: page.score })
  })
