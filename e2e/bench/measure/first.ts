/** The first queries of a new workspace, and the indexes that they cause. */

import type { Sql } from '#db/connect'
import { until } from '../../support/until'
import type { Side } from './measure'
import { ask } from './probe'
import { randomFrom } from '../data/random'
import type { SeededPeople, Workload } from '../workloads/workload'

export interface FirstQueries {
  readonly workload: string
  /** The milliseconds of each request, in order. */
  readonly times: readonly number[]
}

/** The number of requests before an index of one column is built. */
const TIMES = 3
/** The number of requests before an index over several columns is built. */
const COMPOSITE_TIMES = 30

/** Sends the requests one after the other. */
export async function askFirst(workload: Workload, seeded: SeededPeople, service: Side): Promise<FirstQueries> {
  const random = randomFrom(7)
  const times: number[] = []
  for (let time = 0; time < TIMES; time++) {
    const begun = performance.now()
    await ask(workload.request(random, seeded), service)
    times.push(performance.now() - begun)
  }
  return { workload: workload.name, times }
}

/**
 * Sends queries until they have all their indexes: after those of one column, which make the queries fast, those over several
 * columns. Returns the numbers of ready and of failed indexes.
 */
export async function makeIndexes(sql: Sql, queries: readonly Workload[], seeded: SeededPeople, service: Side) {
  await indexesMade(sql)
  for (const workload of queries) {
    const random = randomFrom(8)
    for (let time = TIMES; time < COMPOSITE_TIMES; time++) await ask(workload.request(random, seeded), service)
  }
  return indexesMade(sql)
}

/** Drops all indexes that queries requested. No service may run meanwhile. */
export async function dropIndexes(sql: Sql): Promise<void> {
  const made = await sql<{ name: string }[]>`
    select format('%I.%I', 'w_' || w.number, i.name) as name
    from relata.indexes i join relata.workspaces w on w.id = i.workspace_id`
  for (const { name } of made) await sql.unsafe(`drop index if exists ${name}`)
  await sql`delete from relata.indexes`
}

/** The interval of the checks. */
const EVERY_MS = 500
/**
 * After this many checks without builds and without requests for indexes of one column, none is left: the service stores
 * requests once a second and then begins to build. Requests for an index over several columns may remain without an index.
 */
const SETTLED_AFTER_LOOKS = 10
/** Longer than the builds on the largest measured table. */
const PATIENCE_MS = 1_800_000

/** Waits until no index is built. */
async function indexesMade(sql: Sql): Promise<{ readonly ready: number; readonly failed: number }> {
  let quiet = 0
  const isSettled = async () => {
    const [row] = await sql<{ is_busy: boolean }[]>`
      select exists (select 1 from relata.indexes
        where state = 'building'
          or (state = 'wanted' and requests >= ${TIMES} and kind not in ('composite', 'partial'))) as is_busy`
    quiet = row?.is_busy ? 0 : quiet + 1
    return quiet > SETTLED_AFTER_LOOKS
  }
  await until(isSettled, { most: PATIENCE_MS, every: EVERY_MS })
  const [made] = await sql<{ ready: number; failed: number }[]>`
    select count(*) filter (where state = 'ready')::int as ready, count(*) filter (where error is not null)::int as failed
    from relata.indexes`
  return made ?? { ready: 0, failed: 0 }
}
