/** Reads the plans of the service's statements, for tests of plans. */

import type { TestService } from './service'

/**
 * Returns the plans of all statements that `work` sends over the pool and over the connections for short statements. With
 * `explain analyze`, it runs them again and returns the numbers of rows too.
 */
export async function plansOf(
  { db }: TestService,
  work: () => Promise<unknown>,
  explain: 'explain' | 'explain analyze' = 'explain',
): Promise<string[]> {
  const sent: { readonly text: string; readonly parameters: string[] }[] = []
  const restore = [db.sql, db.lookups, db.queries].map((pool) => {
    const unsafe = pool.unsafe
    const noted: typeof unsafe = (text, parameters, options) => {
      sent.push({ text, parameters: (parameters ?? []).map(String) })
      return unsafe(text, parameters, options)
    }
    pool.unsafe = noted
    return () => (pool.unsafe = unsafe)
  })
  await work().finally(() => restore.forEach((each) => each()))
  return Promise.all(
    sent.map(async ({ text, parameters }) => {
      const rows = await db.queries.unsafe<{ 'QUERY PLAN': string }[]>(`${explain} ${text}`, parameters)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }),
  )
}
