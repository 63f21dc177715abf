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
  readonly data: {
    readonly columns?: readonly SqlColumn[]
    readonly rows: readonly SqlRow[]
    readonly truncated?: boolean
  }
}

export async function runSql(sql: string, signal?: AbortSignal): Promise<SqlResult> {
  const { data } = await api.post<SqlAnswer>('/sql', { body: { sql }, signal })
  const { rows, columns = columnsOf(rows), truncated = false } = data
  return { rows, columns, truncated }
}

/** The plan of a query, as PostgreSQL describes it in JSON. */
export const explainSql = async (sql: string, signal?: AbortSignal): Promise<unknown> =>
  (await api.post<{ data: { plan: unknown } }>('/sql', { query: { explain: true }, body: { sql }, signal })).data.plan

/** All rows as a CSV file, which arrives while the query runs. */
export const streamCsv = (sql: string, signal?: AbortSignal): Promise<Response> =>
  api.postForStream('/sql', { body: { sql }, accept: 'text/csv', signal })

/** The columns of a response that names none. */
const columnsOf = (rows: readonly SqlRow[]): SqlColumn[] =>
  Object.keys(rows[0] ?? {}).map((name) => ({ name, type: 'text' }))
