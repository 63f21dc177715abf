/**
 * Reads the next entities of a job: those that match its filter now, were created before it, and come after its position.
 * The order, creation time and id, does not depend on what the job writes, so no entity is missed.
 */

import type { RequestContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import { formQuery, pageStatement } from '#engine/query/forms/compiled-forms'
import { checkCost } from '#engine/query/planning/check-cost'
import { resolveQuery } from '#engine/query/resolve/resolve-query'
import { runStatement } from '#engine/query/run/run-statement'
import { compileLayout, createdAtText, idOf } from '#engine/storage/layout'
import { microsFromPostgres } from '#base/timing/clock'
import type { BatchPlace, JobPlan, Position } from '#api/jobs/job'

/** Returns the positions of at most `limit` entities, in their order; none when the job is complete. */
export async function readBatch(
  context: RequestContext,
  entityType: EntityType,
  { filter, createdAt }: Pick<JobPlan, 'filter' | 'createdAt'>,
  { after, limit }: BatchPlace,
): Promise<readonly Position[]> {
  const { model } = context
  const query = formQuery(model, entityType, resolveQuery(model, entityType, { filter, limit }))
  const { isLong } = await checkCost(context, entityType, query)
  const { select } = compileLayout(model, entityType, [])
  const rows = await runStatement(context, pageStatement(model, entityType, { ...query, after }, select), isLong)
  return rows
    .map((row): Position => [createdAtText(row), idOf(row)])
    .filter(([created]) => microsFromPostgres(created) <= createdAt)
}

/** Whether a position is `other` or before it. */
export function isUpTo([created, id]: Position, other: Position): boolean {
  const difference = microsFromPostgres(created) - microsFromPostgres(other[0])
  return difference === 0 ? id <= other[1] : difference < 0
}
