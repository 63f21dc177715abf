/**
 * The index worker: builds the wanted indexes of a database, one after the other, and drops unused ones. Every process may
 * run a worker; an advisory lock lets one of them work.
 */

import { connect, type Database, type ReplicaAccess, type Sql } from '#db/connect'
import { type Clock, timestampFromMicros } from '#base/timing/clock'
import { buildIndex, dropIndex, type IndexBuildContext } from './build-index'
import { correctEstimates, dropStatistics } from './correct-estimates'
import { findNextTask, INDEXES_CHANNEL } from './store'
import { type IndexScans, readScansOnNodes } from '#db/citus'
import { changeWorkspaceModel, TABLE_NEEDED_CHANNEL } from '#engine/data-model/change-model'
import { traceBackgroundWork, type Tracer } from '#base/monitoring/tracer'
import { createWorkLoop } from '#base/timing/run-periodically'
import { createWorkerStatistics, type WorkerStatistics } from '#base/timing/worker-statistics'

interface IndexWorkerOptions {
  readonly db: Database
  /** The address of `db`. The worker opens a connection of its own while it works. */
  readonly url: string
  readonly now: Clock
  /** After this many days without use, an index is dropped. */
  readonly unusedDays: number
  /** The replica on which queries use the indexes as well. */
  readonly replica?: Pick<ReplicaAccess, 'run'> | undefined
  readonly statistics?: WorkerStatistics
  readonly tracer?: Tracer | undefined
}

export interface IndexWorker {
  /** Builds the most wanted index. Returns its name, also after a failure, or undefined when none is wanted. */
  buildNext(): Promise<string | undefined>
  /** Creates statistics over columns that mislead the planner, and returns their names. */
  correctEstimates(): Promise<readonly string[]>
  /** Drops unused indexes and returns their names. */
  dropUnused(): Promise<readonly string[]>
  /** Cancels the running statement, if it is for this workspace or no workspace is given. The build is retried later. */
  interrupt(workspaceId?: string): Promise<void>
}

const APPLICATION_NAME = 'relata indexes'
const LOCK = 'relata indexes'
/**
 * A build waits for all open transactions, while only schema changes of the same table wait for the build. It runs without
 * parallel workers, so that the other processors serve the queries, which scan whole tables until the index is ready.
 */
const LOCK_TIMEOUT = '5min'

export function createIndexWorker({ db, url, now, unusedDays, replica, tracer }: IndexWorkerOptions): IndexWorker {
  let working: { readonly workspaceId: string | null; readonly pid: number } | undefined

  /** Runs `work` with the lock. Returns undefined when another process has the lock. */
  async function withLock<T>(work: (building: IndexBuildContext, pid: number) => Promise<T>): Promise<T | undefined> {
    const own = connect(url, { max: 1, applicationName: APPLICATION_NAME, maxWorkspaces: Infinity })
    try {
      const [lock] = await own.sql<{ is_taken: boolean; pid: number }[]>`
        select pg_try_advisory_lock(hashtextextended(${LOCK}, 0)) as is_taken, pg_backend_pid() as pid,
          set_config('lock_timeout', ${LOCK_TIMEOUT}, false), set_config('statement_timeout', '0', false),
          set_config('max_parallel_maintenance_workers', '0', false)`
      return lock?.is_taken === true ? await work({ db, sql: own.sql, now }, lock.pid) : undefined
    } finally {
      working = undefined
      await own.close()
    }
  }

  return {
    buildNext: () =>
      withLock(async (building, pid) => {
        working = { workspaceId: null, pid }
        const task = await findNextTask(db, timestampFromMicros(now()))
        if (!task) return undefined
        working = { workspaceId: task.workspaceId, pid }
        const { name, workspaceId } = task
        const attributes = { 'relata.index': name }
        await traceBackgroundWork(
          tracer,
          { name: 'index build', traceparent: undefined, workspaceId, attributes },
          () => buildIndex(building, task),
        )
        return task.name
      }),
    async correctEstimates() {
      const created = await withLock((building, pid) =>
        correctEstimates(building, (workspaceId) => (working = { workspaceId, pid })),
      )
      return created ?? []
    },
    async dropUnused() {
      const dropped = await withLock(async (building, pid) => {
        working = { workspaceId: null, pid }
        await recordIndexUse(building, replica)
        await deleteOldRequests(building, unusedDays)
        return dropUnusedIndexes(building, unusedDays)
      })
      return dropped ?? []
    },
    async interrupt(workspaceId) {
      if (!working || (workspaceId !== undefined && working.workspaceId !== workspaceId)) return
      await db.sql`select pg_cancel_backend(${working.pid}::int)`
    },
  }
}

// Drops indexes that no query has used for a long time, because every write maintains them. See docs/decisions/indexes.md.

/**
 * Records, from the scan counts of PostgreSQL and of its replica or nodes, which indexes were used since the last call. Throws while the replica does
 * not answer, so that no index is dropped that is used there.
 */
async function recordIndexUse(
  { db, now }: IndexBuildContext,
  replica: Pick<ReplicaAccess, 'run'> | undefined,
): Promise<void> {
  const elsewhere = db.isDistributed
    ? await readScansOnNodes(db.sql)
    : ((await replica?.run(({ sql }) => readScans(sql))) ?? [])
  await db.sql`
    update relata.indexes i set scans = s.idx_scan + coalesce(elsewhere.scans, 0), last_used_at = ${timestampFromMicros(now())}
    from relata.workspaces w, pg_stat_user_indexes s
    left join json_to_recordset(${JSON.stringify(elsewhere)}::text::json) as elsewhere(schema text, index text, scans bigint)
      on elsewhere.schema = s.schemaname and elsewhere.index = s.indexrelname
    where w.id = i.workspace_id and s.schemaname = 'w_' || w.number and s.indexrelname = i.name
      and i.state = 'ready' and s.idx_scan + coalesce(elsewhere.scans, 0) <> i.scans`
}

const readScans = (sql: Sql) => sql<IndexScans[]>`
  select s.schemaname as schema, s.indexrelname as index, s.idx_scan::text as scans from relata.indexes i
  join relata.workspaces w on w.id = i.workspace_id
  join pg_stat_user_indexes s on s.schemaname = 'w_' || w.number and s.indexrelname = i.name
  where i.state = 'ready' and s.idx_scan > 0`

/**
 * An index on one column is dropped earlier when indexes over several columns include its column: they serve most of the queries
 * that requested it. So is a covering index, which few requests build again. A report that runs each week keeps its index.
 */
const FEW_UNUSED_DAYS = 8

/** Drops the indexes that are not pinned and were not used for `unusedDays` days, or for fewer where that is enough. Returns their names. */
async function dropUnusedIndexes(building: IndexBuildContext, unusedDays: number): Promise<string[]> {
  const { db, sql, now } = building
  const daysAgo = (days: number) => timestampFromMicros(now() - days * 24 * 3600 * 1_000_000)
  const unused = await db.sql<{ workspaceId: string; schema: string; name: string }[]>`
    select i.workspace_id as "workspaceId", format('"w_%s"', w.number) as schema, i.name
    from relata.indexes i join relata.workspaces w on w.id = i.workspace_id
    where i.state = 'ready' and not i.is_pinned and (
      coalesce(i.last_used_at, i.built_at) < ${daysAgo(unusedDays)}
      or coalesce(i.last_used_at, i.built_at) < ${daysAgo(FEW_UNUSED_DAYS)} and (i.kind = 'covering'
        or i.kind in ('ordered', 'descending', 'exact') and exists (
        select from relata.indexes other where other.workspace_id = i.workspace_id and other.state = 'ready'
          and other.built_at < ${daysAgo(FEW_UNUSED_DAYS)} and i.attribute_id = any(other.attribute_ids)))
      or exists (select from relata.indexes whole where whole.workspace_id = i.workspace_id
        and whole.name = i.partial_of and whole.state = 'ready'))
    order by i.name`
  for (const index of unused) {
    await dropIndex(sql, index)
    await dropStatistics(sql, index)
    await changeWorkspaceModel(
      db,
      index.workspaceId,
      ({ tx }) => tx`delete from relata.indexes where workspace_id = ${index.workspaceId} and name = ${index.name}`,
    )
  }
  return unused.map(({ name }) => name)
}

/** Forgets indexes that queries requested too rarely, and no longer request. */
async function deleteOldRequests({ db, sql, now }: IndexBuildContext, unusedDays: number): Promise<void> {
  const before = timestampFromMicros(now() - unusedDays * 24 * 3600 * 1_000_000)
  const deleted = await db.sql<{ schema: string; name: string; isChecked: boolean }[]>`
    delete from relata.indexes i using relata.workspaces w
    where w.id = i.workspace_id and i.state = 'wanted' and not i.is_pinned and i.built_at is null
      and i.last_requested_at < ${before}
    returning format('"w_%s"', w.number) as schema, i.name, i.estimate_checked_at is not null as "isChecked"`
  for (const index of deleted) if (index.isChecked) await dropStatistics(sql, index)
}

/** Runs the index worker in the background: on notifications, and at intervals. */
const POLL_MS = 60_000
const MAINTENANCE_MS = 3_600_000
const INTERRUPT_RETRY_MS = 100

interface RunningIndexWorker {
  /** Interrupts a running build. The next start resumes it. */
  stop(): Promise<void>
}

export async function runIndexWorker(options: IndexWorkerOptions): Promise<RunningIndexWorker> {
  const worker = createIndexWorker(options)
  const { statistics = createWorkerStatistics() } = options
  const state = { isMaintenanceDue: false, isStopped: false }

  /** The service works without the indexes, only more slowly. */
  const logFailure = (error: unknown) => statistics.logFailure('Building or dropping indexes failed.', error)

  const work = async () => {
    if (state.isMaintenanceDue) {
      state.isMaintenanceDue = false
      await worker.dropUnused()
      await worker.correctEstimates()
    }
    while (!state.isStopped && (await worker.buildNext()) !== undefined);
  }
  const loop = createWorkLoop(() => statistics.run(work), logFailure)
  const build = loop.request
  const maintainAndBuild = () => {
    state.isMaintenanceDue = true
    loop.request()
  }
  const { sql } = options.db
  const listeners = [
    await sql.listen(INDEXES_CHANNEL, build, build),
    // A change of the data model has priority over a build.
    await sql.listen(TABLE_NEEDED_CHANNEL, (workspaceId) => void worker.interrupt(workspaceId).catch(logFailure)),
  ]
  const timers = [setInterval(build, POLL_MS), setInterval(maintainAndBuild, MAINTENANCE_MS)]
  return {
    async stop() {
      state.isStopped = true
      loop.stop()
      for (const timer of timers) clearInterval(timer)
      while (loop.running) {
        await worker.interrupt()
        // An interrupt between two statements has no effect, so it is repeated.
        await Promise.race([loop.running, Bun.sleep(INTERRUPT_RETRY_MS)])
      }
      await Promise.all(listeners.map((listener) => listener.unlisten()))
    },
  }
}
