/** Statements that compute formulas: for rows that exist, and for a formula that is only tried. */

import { prepareOptions, type Transaction } from '#db/connect'
import type { EntityType } from '#engine/data-model/model'

/**
 * Writes the rows of a page, in the order of their ids, so that the trigger of the table computes them. Their version stays, because no
 * client wrote them. Locks them in the order of their ids, as other statements over several rows do. Returns the last row; undefined
 * behind the last page.
 */
export async function recomputePage(
  tx: Transaction,
  { table }: EntityType,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string | undefined> {
  const query = `
    with page as materialized (select id from ${table} where id > $1::uuid order by id limit ${limit} for no key update),
      filled as (update ${table} h set version = h.version from page where h.id = page.id)
    select (select id from page order by id desc limit 1) as last, (select count(*) from page) = ${limit} as is_full`
  const [page] = await tx.unsafe<{ last: string | null; is_full: boolean }[]>(query, [after], prepareOptions(query))
  return page?.is_full === true ? (page.last ?? undefined) : undefined
}

const BEFORE_EXPRESSION = 'select pg_typeof((select (\n'

/** The type of an expression over the row `h`, which PostgreSQL infers without computing it. Throws its errors. */
export async function readResultType(tx: Transaction, { table }: EntityType, expression: string): Promise<string> {
  const query = `${BEFORE_EXPRESSION}${expression}\n) from ${table} h where false))::text as type`
  const [row] = await tx.savepoint((step) => step.unsafe<{ type: string }[]>(query))
  return row?.type ?? 'unknown'
}

/** The position in the expression, from one in the statement of `readResultType`. */
export const inExpression = (position: number): number => position - BEFORE_EXPRESSION.length

/** Ends statements of `work` that take longer. Afterwards the transaction has its own limit again. */
export async function withTimeLimit<T>(tx: Transaction, ms: number, work: () => Promise<T>): Promise<T> {
  const set = (value: string) => tx.unsafe(`select set_config('statement_timeout', $1, true)`, [value])
  const [before] = await tx.unsafe<{ value: string }[]>(`select current_setting('statement_timeout') as value`)
  await set(`${ms}ms`)
  const result = await work()
  await set(before?.value ?? '0')
  return result
}

/** The newest entities with their label, an expression over `h`. */
export async function readNewest(
  tx: Transaction,
  { table }: EntityType,
  { label, limit }: { readonly label: string; readonly limit: number },
): Promise<readonly { id: string; label: string | null }[]> {
  return tx.unsafe<{ id: string; label: string | null }[]>(
    `select h.id, ${label} as label from ${table} h order by h.created_at desc, h.id desc limit ${limit}`,
  )
}

/** The value of one entity as JSON. `result` is an expression over the row `h`, and `value` one over `r.v`, its result. Throws the errors of PostgreSQL. */
export async function computeValue(
  tx: Transaction,
  { table }: EntityType,
  { id, result, value }: { readonly id: string; readonly result: string; readonly value: string },
): Promise<string | null> {
  const query = `
    select to_json(${value})::text as value from ${table} h, lateral (select ${result} as v offset 0) r where h.id = $1`
  const [row] = await tx.savepoint((step) => step.unsafe<{ value: string | null }[]>(query, [id]))
  return row?.value ?? null
}
