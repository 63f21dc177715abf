/** Reads the plans of the service's statements, for tests of plans. */

import type { Sql } from '#db/connect'
import type { TestService } from './service'

interface PlanRow {
  readonly 'QUERY PLAN': string
}

/**
 * Returns the plans of all statements that `work` sends. Statements of `db.queries` are planned for their parameters, the others
 * once for all, as in production. With `explain analyze`, it runs them again for their parameters and returns the numbers of rows too.
 * `settings` are those of the planner, such as `enable_seqscan`, which PostgreSQL would choose for a small table.
 */
export async function plansOf(
  { db }: TestService,
  work: () => Promise<unknown>,
  explain: 'explain' | 'explain analyze' = 'explain',
  settings: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const sent: { readonly pool: Sql; readonly text: string; readonly parameters: string[] }[] = []
  const restore = [db.sql, db.lookups, db.queries].map((pool) => {
    const unsafe = pool.unsafe
    const noted: typeof unsafe = (text, parameters, options) => {
      sent.push({ pool, text, parameters: (parameters ?? []).map(String) })
      return unsafe(text, parameters, options)
    }
    pool.unsafe = noted
    return () => (pool.unsafe = unsafe)
  })
  await work().finally(() => restore.forEach((each) => each()))
  return Promise.all(
    sent.map(async ({ pool, text, parameters }) => {
      const isGeneric = pool !== db.queries && explain === 'explain'
      const rows = isGeneric
        ? await pool.unsafe<PlanRow[]>(`explain (generic_plan) ${text}`)
        : await db.queries.begin(async (tx) => {
            for (const [name, value] of Object.entries(settings)) await tx`select set_config(${name}, ${value}, true)`
            return tx.unsafe<PlanRow[]>(`${explain} ${text}`, parameters)
          })
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }),
  )
}
