/**
 * The replica on which reads of callers run. Once a second, the process compares the position of the replica with that of the primary. A
 * replica that cannot be reached, that is more than five seconds behind, or that is none, is not used until the next good comparison.
 * See docs/decisions/replica.md.
 */

import { isSameCluster } from '#access/installation/identity'
import { type DatabaseFailure, databaseFailureOf } from '#base/errors/database'
import { errorCodeOf, logError, logLine } from '#base/logging/log-error'
import { createWorkLoop, runPeriodically } from '#base/timing/run-periodically'
import { withTimeout } from '#base/timing/wait'
import { type Database, type ReadPools, type ReplicaAccess, ReplicaFailure } from '#db/connect'
import { createCallerWrites, createCollector, readPosition, type WritingCaller } from './caller-writes'

/** `invalid`: the server is no replica of the primary. */
export const REPLICA_STATUSES = ['used', 'behind', 'unreachable', 'invalid'] as const
type ReplicaStatus = (typeof REPLICA_STATUSES)[number]

/** Where a read ran: on the replica, or on the primary for one of these reasons. */
type ReadOutcome = 'replica' | 'own_write' | 'not_used' | 'failed'

export interface ReplicaState {
  readonly status: ReplicaStatus
  /** For how long the replica has not had all that the primary had. */
  readonly lagSeconds: number
  /** The statements of reads since the start of the process. */
  readonly reads: Readonly<Record<ReadOutcome, number>>
}

export interface Replica {
  /** What the reads of a caller may do. */
  accessOf(caller: WritingCaller): ReplicaAccess
  /** Runs a statement on the replica, however far it is behind. Throws `ReplicaFailure`. */
  run: ReplicaAccess['run']
  /** As in `CallerWrites`. */
  storeWrite(caller: WritingCaller): Promise<void>
  state(): ReplicaState
  close(): Promise<void>
}

export interface ReplicaOptions {
  readonly db: Database
  /** Opens pools on the replica, which call the function when a connection was closed. */
  readonly open: (onClose: () => void) => Database
  readonly times?: ReplicaTimes
}

/** In milliseconds. */
export interface ReplicaTimes {
  /** A caller that wrote in this time reads on the replica only what the primary has now. */
  readonly lately: number
  /** How much later than the stored time a caller may write. */
  readonly renewal: number
  /** How far the replica may be behind. With `renewal`, less than `lately`: it then has all that callers wrote before. */
  readonly lag: number
  readonly probe: number
  /** A replica that takes longer counts as unreachable, and the statements that run there run on the primary. */
  readonly answer: number
}

const TIMES: ReplicaTimes = { lately: 10_000, renewal: 2_000, lag: 5_000, probe: 1_000, answer: 2_000 }

/** What a statement that failed on the replica does not say about the primary: rows or tables are older there, or a recovery ended it. */
const FAILURES: ReadonlySet<DatabaseFailure> = new Set(['conflict', 'fault', 'unavailable', 'undefined'])

/** A role that is not there yet, too many connections, a full disk: other statements may run. */
const OF_ONE_STATEMENT = /^(?:28|53|58)/

/** The first comparison has ended when it resolves. The replica need not be reachable. */
export async function openReplica({ db, open, times = TIMES }: ReplicaOptions): Promise<Replica> {
  const writes = createCallerWrites(db, times)
  const reads: Record<ReadOutcome, number> = { replica: 0, own_write: 0, not_used: 0, failed: 0 }
  /** What ends the statements that run on the replica. */
  const running = new Set<(error: Error) => void>()
  const progress = createProgress()
  let problem: Problem | undefined = { status: 'unreachable', reason: 'no comparison has ended' }
  let shown: ReplicaStatus | undefined
  let previous: ReplicaStatus | undefined
  let isVerified = false
  let isClosed = false
  let pools = openPools()

  /** The next connection may lead to another server, or to one that restarted and shows older rows for a moment. */
  function openPools(): Database {
    return open(() => {
      const wasUsable = isUsable()
      isVerified = false
      progress.forget()
      if (wasUsable) probes.request()
    })
  }

  const probes = createWorkLoop(probe, (error) => logError(NOT_COMPARED, error))
  const lag = () => performance.now() - progress.caughtUpAt()
  const isUsable = () => problem === undefined && lag() <= times.lag
  const status = (): ReplicaStatus => problem?.status ?? (isUsable() ? 'used' : 'behind')

  async function run<T>(send: (pools: ReadPools) => Promise<T>): Promise<T> {
    const lost = Promise.withResolvers<never>()
    running.add(lost.reject)
    try {
      return await Promise.race([send(pools), lost.promise])
    } catch (error) {
      const failure = databaseFailureOf(error)
      const isOfReplica = error instanceof ReplicaFailure || (failure !== undefined && FAILURES.has(failure))
      if (!isOfReplica) throw error
      if (failure === 'unavailable' && !OF_ONE_STATEMENT.test(errorCodeOf(error) ?? '')) progress.forget()
      throw new ReplicaFailure('A statement failed on the replica.', { cause: error })
    } finally {
      running.delete(lost.reject)
    }
  }

  const readReplayed = createCollector(() =>
    run(async (on) => {
      const standby = await readStandby(on)
      progress.replayed(standby.position)
      return standby.position
    }),
  )

  /** Whether the replica has all that was committed before the call, as far as the caller has to see it. */
  async function hasAllFor(caller: WritingCaller): Promise<boolean> {
    const { position, hasWritten } = await writes.read(caller)
    return !hasWritten || progress.hasReplayed(position) || (await readReplayed(undefined)) >= position
  }

  function refuse(outcome: ReadOutcome): false {
    reads[outcome]++
    return false
  }

  const accessOf = (caller: WritingCaller): ReplicaAccess => ({
    async isAllowed() {
      if (!isUsable()) return refuse('not_used')
      // Without an answer of the primary, the read fails there.
      if (!(await hasAllFor(caller).catch(() => false))) return refuse('own_write')
      return isUsable() || refuse('not_used')
    },
    async run(send) {
      try {
        const result = await run(send)
        reads.replica++
        return result
      } catch (error) {
        if (error instanceof ReplicaFailure) reads.failed++
        throw error
      }
    },
  })

  /** Compares a position of the primary, which was read after `at`, with that of the replica. Returns what is wrong with the replica. */
  async function compare(at: number, primary: number): Promise<Problem | undefined> {
    const standby = await readStandby(pools)
    if (!standby.is_standby) return { status: 'invalid', reason: 'the server is no standby' }
    isVerified ||= await isSameCluster(db.sql, pools.sql)
    if (!isVerified) return { status: 'invalid', reason: 'the server is no replica of the database at DATABASE_URL' }
    progress.add(at, primary)
    progress.replayed(standby.position)
    return undefined
  }

  /** While the primary does not answer, the replica counts as behind after some seconds. */
  async function probe(): Promise<void> {
    const at = performance.now()
    const primary = await readPosition(db)
    const compared = compare(at, primary).catch(unreachable)
    const found = await withTimeout(
      compared.then((result) => ({ problem: result })),
      times.answer,
    )
    if (isClosed) return
    problem = found === undefined ? { status: 'unreachable', reason: 'no answer' } : found.problem
    if (found === undefined) leave()
    show()
  }

  /** Ends the statements on connections that may never answer, and opens new ones. */
  function leave(): void {
    for (const reject of running) reject(new ReplicaFailure('The replica does not answer.'))
    const left = pools
    pools = openPools()
    void left.close().catch(() => undefined)
  }

  function show(): void {
    const now = status()
    // After a connection was opened or closed, the replica is behind until the next comparison.
    const isPassing = now === 'behind' && previous !== 'behind'
    previous = now
    if (isPassing || now === shown) return
    if (now !== 'used')
      logLine('warning', 'The replica is not used: reads run on the primary.', { status: now, reason: problem?.reason })
    else if (shown !== undefined) logLine('info', 'The replica is used again.')
    shown = now
  }

  await probe()
  const probing = runPeriodically(times.probe, async () => probes.request(), NOT_COMPARED)
  return {
    accessOf,
    run,
    storeWrite: writes.store,
    state() {
      const hasAll = problem === undefined && progress.hasAll()
      return { status: status(), lagSeconds: hasAll ? 0 : Math.min(lag() / 1000, MAX_LAG_SECONDS), reads: { ...reads } }
    },
    async close() {
      isClosed = true
      await probing.stop()
      probes.stop()
      await pools.close()
      await probes.settled()
    },
  }
}

interface Problem {
  readonly status: ReplicaStatus
  readonly reason: string
}

const unreachable = (error: unknown): Problem => ({
  status: 'unreachable',
  reason: errorCodeOf(error) ?? String(error),
})

const NOT_COMPARED = 'The replica could not be compared with the primary.'

/** Shown of a replica that was never compared. */
const MAX_LAG_SECONDS = 1e9

interface Standby {
  readonly is_standby: boolean
  readonly position: number
}

async function readStandby({ lookups }: Pick<ReadPools, 'lookups'>): Promise<Standby> {
  const [row] = await lookups<{ is_standby: boolean; position: string }[]>`
    select pg_is_in_recovery() as is_standby, coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)::text as position`
  return { is_standby: row?.is_standby === true, position: Number(row?.position) }
}

/** More are dropped: the replica has stopped long ago. */
const MAX_POSITIONS = 600

/** What the replica has replayed, and which time of the primary that is. Times are of the monotonic clock of this process. */
function createProgress() {
  /** Positions of the primary that the replica had not reached, the oldest first. */
  let ahead: { readonly at: number; readonly position: number }[] = []
  let reached = 0
  let caughtUpAt = -Infinity
  return {
    /** The replica has everything that was committed before this time. */
    caughtUpAt: () => caughtUpAt,
    /** Whether the replica had all that the primary had at the last comparison. */
    hasAll: () => ahead.length === 0 && caughtUpAt > -Infinity,
    hasReplayed: (position: number) => reached >= position,
    /** `position` was read on the primary after `at`. */
    add(at: number, position: number): void {
      if (ahead.length < MAX_POSITIONS) ahead.push({ at, position })
    },
    replayed(position: number): void {
      reached = position
      for (const each of ahead) if (each.position <= position) caughtUpAt = Math.max(caughtUpAt, each.at)
      ahead = ahead.filter((each) => each.position > position)
    },
    /** The replica may have restarted, and may be at an older position than it was. */
    forget(): void {
      reached = 0
      caughtUpAt = -Infinity
    },
  }
}
