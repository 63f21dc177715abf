/** Runs SQL queries over the workspace. */

import type { SqlAnswer } from '#api/resources/sql/schemas'
import { api } from '../client'
import { retryOn } from '../retry'

export type SqlResult = SqlAnswer['data']
export type SqlColumn = SqlResult['columns'][number]

export const runSql = async (sql: string, signal?: AbortSignal): Promise<SqlResult> =>
  (await retryRateLimited(() => api.post<SqlAnswer>('/sql', { body: { sql }, signal }), signal)).data

/** The plan of a query, as PostgreSQL describes it in JSON. The query runs, so that the plan has measured times. */
export async function explainSql(sql: string, signal?: AbortSignal): Promise<unknown> {
  const options = { query: { explain: 'analyze' }, body: { sql }, signal }
  const { data } = await retryRateLimited(() => api.post<SqlAnswer>('/sql', options), signal)
  return Object.values(data.rows[0] ?? {})[0]
}

/** All rows as a CSV file, which arrives while the query runs. */
export const streamCsv = (sql: string, signal?: AbortSignal): Promise<Response> =>
  retryRateLimited(() => api.postForStream('/sql', { body: { sql }, accept: 'text/csv', signal }), signal)

/** The limit of queries per second belongs to the workspace, so the queries of other members also count. */
const RETRY_DELAYS_MS = [1000, 1000, 1000, 1000, 1000]

const retryRateLimited = <T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
  retryOn(429, RETRY_DELAYS_MS, send, signal)
