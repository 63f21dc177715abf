import { getList } from '../../access/list-access'
import type { Call } from '../../call'
import { JsonText } from '../../http/answer'
import { projectionOf } from '../../query/projection'
import { pageBody } from '../../query/page-body'
import { queryHolders } from '../../query/query-holders'
import type { QueryBody } from '../../query/wire'
import { attempt } from '../../values/attempt'
import { renderEntry } from './render'

/** A page of entries. Throws 404 for the list, 400 for the query. Spec: query. */
export const queryEntries = (call: Call, slugOrId: string, body: QueryBody): Promise<JsonText> =>
  attempt(call, async (call) => {
    const { model } = call
    const list = getList(call, slugOrId, 'read-only')
    const renderer = projectionOf(model, list, body.fields)
    const page = await queryHolders(call, list, body, {
      select: renderer.layout.select,
      render: (row) => renderEntry(model, list, row, renderer),
    })
    return new JsonText(pageBody(page), { queryScore: page.score })
  })
