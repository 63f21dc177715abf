/** Runs jobs beside requests: one at a time in each process, in turns. A stop ends a running job at the end of its batch. */

import type { AppContext } from '#context'
import { type PollingWorker, runPeriodically, startPollingWorker } from '#base/timing/run-periodically'
import type { JobTarget } from '#api/jobs/job'
import { deleteEndedJobs } from '#api/jobs/store'
import { endLease, leaseJob, postponeOthers } from './leases'
import { runJob } from './run-job'

/** The time in which a job of a dead worker, or one whose transaction was committed after the wake-up, is found. */
const POLL_EVERY_MS = 2_000
const DELETE_EVERY_MS = 3_600_000
const ENDED_MICROS = 30 * 24 * 3600 * 1_000_000
const DELETED_AT_ONCE = 1000
const MAX_PAUSE_MS = 1000

export interface JobWorkerOptions {
  readonly appContext: AppContext
  /** One for objects and one for lists. */
  readonly targets: readonly JobTarget[]
  readonly pause?: (ms: number) => Promise<void>
}

export function startJobWorker({ appContext, targets, pause = pauseAtMost }: JobWorkerOptions): PollingWorker {
  const { db, now } = appContext

  async function runNext(shutdownSignal: AbortSignal): Promise<boolean> {
    const leaseId = crypto.randomUUID()
    const job = await leaseJob(db, leaseId, now())
    if (job === undefined) return false
    const target = targets.find(({ entities }) => entities.kind === job.kind)
    if (target === undefined) throw new Error(`No target for jobs of the kind ${job.kind}.`)
    const turn = await runJob({ appContext, target, leaseId, shutdownSignal, pause }, job)
    // Before the job itself, so that the other jobs of its workspace are due before it.
    await postponeOthers(db.sql, job, now())
    await endLease(db.sql, job, leaseId, turn, now())
    return true
  }

  const worker = startPollingWorker({
    runNext,
    pollEveryMs: POLL_EVERY_MS,
    failure: 'The worker of jobs failed; it tries again in two seconds.',
  })
  const deletion = runPeriodically(
    DELETE_EVERY_MS,
    async (stopping) => {
      const before = now() - ENDED_MICROS
      while (!stopping.aborted && (await deleteEndedJobs(db.sql, before, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
    },
    'Old jobs could not be deleted yet.',
  )
  return {
    ...worker,
    async stop() {
      await Promise.all([worker.stop(), deletion.stop()])
    },
  }
}

const pauseAtMost = (ms: number): Promise<void> => Bun.sleep(Math.min(ms, MAX_PAUSE_MS))
