/** Runs SQL queries over the workspace. */

import { api } from '../client'

export interface SqlColumn {
  readonly name: string
  /** As PostgreSQL names it, such as `numeric` or `text[]`. */
  readonly type: string
}

export type SqlRow = Readonly<Record<string, unknown>>

export interface SqlResult {
  readonly columns: readonly SqlColumn[]
  readonly rows: readonly SqlRow[]
  /** Whether the query has more rows than the response. */
  readonly truncated: boolean
}

interface SqlAnswer {
  readonly data: SqlResult
}

export const runSql = async (sql: string, signal?: AbortSignal): Promise<SqlResult> =>
  (await api.post<SqlAnswer>('/sql', { body: { sql }, signal })).data

/** The plan of a query, as PostgreSQL describes it in JSON. The query runs, so that the plan has measured times. */
export async function explainSql(sql: string, signal?: AbortSignal): Promise<unknown> {
  const { data } = await api.post<SqlAnswer>('/sql', { query: { explain: 'analyze' }, body: { sql }, signal })
  return Object.values(data.rows[0] ?? {})[0]
}

/** All rows as a CSV file, which arrives while the query runs. */
export const streamCsv = (sql: string, signal?: AbortSignal): Promise<Response> =>
  api.postForStream('/sql', { body: { sql }, accept: 'text/csv', signal })
