import type { RequestContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import { compileCount, type QueryStatement } from '#engine/query/compile/page-statement'
import { formQuery } from '#engine/query/forms/compiled-forms'
import { checkCost } from '#engine/query/planning/check-cost'
import { resolveQuery } from '#engine/query/resolve/resolve-query'
import { runStatement } from './run-statement'

/** Counts the entities that a filter finds. Throws the errors of a query with `include_count`. */
export async function countEntities(
  context: RequestContext,
  entityType: EntityType,
  filter: Readonly<Record<string, unknown>>,
): Promise<number> {
  const query = formQuery(context.model, entityType, resolveQuery(context.model, entityType, { filter }))
  const { isLong } = await checkCost(context, entityType, query)
  const statement = compileCount(context.model, entityType, query.condition)
  if (context.db.isInTransaction) return countInTransaction(context, statement)
  const [row] = await runStatement(context, statement, isLong)
  return Number(row?.[0])
}

/** The transaction has its connection already, so it waits for no other one. The time limit is that of queries. */
async function countInTransaction({ db }: RequestContext, { text, parameters }: QueryStatement): Promise<number> {
  const limitTo = (limit: string) => db.sql`select set_config('statement_timeout', ${limit}, true)`
  const [before] = await db.sql<[{ value: string }]>`select current_setting('statement_timeout') as value`
  await limitTo(String(db.queryTimeoutMs))
  const [row] = await db.sql.unsafe<[{ count: string }]>(text, [...parameters])
  await limitTo(before.value)
  return Number(row.count)
}
