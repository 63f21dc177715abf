/**
 * Ends the leases of dead workers, so that other processes take over before the leases expire. Every connection of a process
 * carries the name of the process. A process without a connection at two checks, a second apart, is dead.
 * See docs/decisions/workers.md.
 */

import { sql as expression } from 'kysely'
import { anyOf, controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { connectionName, type Database } from '#db/connect'
import { VERSION } from '#db/program'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'
import { type RunningWorker, runPeriodically } from '#base/timing/run-periodically'
import { endLeasesOf } from '#engine/queue'
import { QUEUES } from './workers'

const CHECK_EVERY_MS = 1_000

/** Registers this process, and checks the others periodically. Call it before this process takes a lease. */
export async function runDeadWorkerCheck(db: Database, now: Clock): Promise<RunningWorker> {
  const check = createDeadWorkerCheck(db, now)
  await check()
  return runPeriodically(CHECK_EVERY_MS, check, 'The leases of dead workers could not be ended yet.')
}

/** Each call of the result ends the leases of the processes that had no connection now and at the call before. */
export function createDeadWorkerCheck(db: Database, now: Clock): () => Promise<void> {
  const control = controlQueriesIn(db.sql)
  const self = db.pools.applicationName
  let disconnected: ReadonlySet<string> = new Set()
  return async () => {
    const rows = await control
      .selectFrom('relata.workers')
      .select('name')
      .select(expression<boolean>`name in (select application_name from pg_stat_activity)`.as('is_connected'))
      .execute()
    // Another process may have taken this one for dead while it had no connection.
    if (!rows.some(({ name }) => name === self))
      await control
        .insertInto('relata.workers')
        .values({ name: self, version: VERSION })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    const before = disconnected
    disconnected = new Set(rows.filter((row) => !row.is_connected).map(({ name }) => name))
    const dead = [...disconnected].filter((name) => before.has(name))
    if (dead.length > 0) await endLeases(db, dead, now())
  }
}

/** The versions of the processes of the service that are connected: null for one before versions were stored. Works on older tables. */
export async function listConnectedVersions({ sql }: Pick<Database, 'sql'>): Promise<(string | null)[]> {
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.workers as w')
    .select(expression<string | null>`to_jsonb(w) ->> 'version'`.as('version'))
    .where(expression<boolean>`w.name in (select application_name from pg_stat_activity)`)
    .orderBy('w.name')
    .execute()
  return rows.map(({ version }) => version)
}

async function endLeases({ sql }: Database, dead: readonly string[], now: Micros): Promise<void> {
  const control = controlQueriesIn(sql)
  const isDead = anyOf(dead, 'text')
  const at = timestampFromMicros(now)
  await control
    .updateTable('relata.webhooks')
    .set({ leased_until: at })
    .where('leased_until', '>', at)
    .where(expression<string>`${connectionName('')}::text || leased_by`, '=', isDead)
    .execute()
  for (const queue of QUEUES) await endLeasesOf(sql, queue, dead, now)
  await control.deleteFrom('relata.file_import_leases').where('worker', '=', isDead).execute()
  await control.deleteFrom('relata.workers').where('name', '=', isDead).execute()
}
