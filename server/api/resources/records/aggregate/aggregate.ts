import type { ApiContext } from '#context'
import { getObject } from '#engine/data-model/find'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { JsonText } from '#api/http/response/answer'
import { aggregateEntities } from '#engine/query/aggregate/aggregate-entities'
import type { AggregateBody } from '#engine/query/aggregate/schemas'

/** Computes aggregates of records. Throws 404 for the object, 400 for the body. See docs/reference/query.md (Aggregates). */
export const aggregateRecords = (context: ApiContext, objectSlug: string, body: AggregateBody): Promise<JsonText> =>
  retryOnConflict(context, async (context) => {
    const { data, score } = await aggregateEntities(context, getObject(context.model, objectSlug), body)
    return new JsonText(JSON.stringify({ data }), { queryScore: score })
  })
