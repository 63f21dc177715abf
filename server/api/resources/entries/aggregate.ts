import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { JsonText } from '#api/http/response/answer'
import { aggregateEntities } from '#engine/query/aggregate/aggregate-entities'
import type { AggregateBody } from '#engine/query/aggregate/schemas'

/** Computes aggregates of entries. Throws 404 for the list, 400 for the body. See docs/reference/query.md (Aggregates). */
export const aggregateEntries = (context: RequestContext, slugOrId: string, body: AggregateBody): Promise<JsonText> =>
  retryOnConflict(context, async (context) => {
    const { data, score } = await aggregateEntities(context, getList(context, slugOrId, 'read-only'), body)
    return new JsonText(JSON.stringify({ data }), { queryScore: score })
  })
