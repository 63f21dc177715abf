import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import { JsonText } from '../../http/answer'
import { projectionOf } from '../../query/projection'
import { queryHolders } from '../../query/query-holders'
import type { QueryBody } from '../../query/wire'
import { attempt } from '../../values/attempt'
import { renderRecord } from './render'

/** A page of records. Throws 404 for the object, 400 for the query. Spec: query. */
export const queryRecords = (call: Call, objectSlug: string, body: QueryBody): Promise<JsonText> =>
  attempt(call, async (call) => {
    const object = getObject(call.model, objectSlug)
    const renderer = projectionOf(call.model, object, body.fields)
    const { rows, pagination, score: queryScore } = await queryHolders(call, object, body, renderer.layout.select)
    const records = rows.map((row) => renderRecord(call, object, row, renderer))
    const end = pagination === undefined ? ']}' : `],"pagination":${JSON.stringify(pagination)}}`
    const text = joinPage(records, end)
    return new JsonText(text, { queryScore })
  })

/** In one go: a page may have megabytes, which would be copied once more if its ends were put around it. */
function joinPage(records: readonly string[], end: string): string {
  const last = records.length - 1
  if (last < 0) return `{"data":[${end}`
  return records.map((text, index) => (index === 0 ? '{"data":[' : '') + text + (index === last ? end : '')).join(',')
}
