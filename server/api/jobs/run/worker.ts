/** Runs jobs beside requests: one at a time in each process, in turns. A stop ends a running job at the end of its batch. */

import type { AppContext } from '#context'
import { traceBackgroundWork } from '#base/monitoring/tracer'
import { periodicWorker } from '#base/timing/run-periodically'
import { queueWorker } from '#engine/queue'
import type { JobTarget } from '#api/jobs/job'
import { deleteEndedJobs } from '#api/jobs/store'
import { endLease, jobQueue, leaseJob, postponeOthers } from './leases'
import { runJob } from './run-job'

const ENDED_MICROS = 30 * 24 * 3600 * 1_000_000
const DELETED_AT_ONCE = 1000
const MAX_PAUSE_MS = 1000

/** `targets` are one for objects and one for lists. */
export const jobWorker = (targets: readonly JobTarget[], pause = pauseAtMost) =>
  queueWorker<AppContext>({
    name: 'jobs',
    does: 'runs jobs',
    queue: jobQueue,
    // The time in which a job whose transaction was committed after the wake-up is found.
    everyMs: 2_000,
    async take(appContext, shutdownSignal, logFailure) {
      const { db, now } = appContext
      const job = await leaseJob(db, now())
      if (job === undefined) return undefined
      return async () => {
        const target = targets.find(({ entities }) => entities.kind === job.kind)
        if (target === undefined) throw new Error(`No target for jobs of the kind ${job.kind}.`)
        const { workspaceId, traceparent } = job
        const attributes = { 'relata.job_id': job.id, 'relata.operation': job.operation.op }
        const turn = await traceBackgroundWork(
          appContext.monitor?.tracer,
          { name: 'job', traceparent, workspaceId, attributes, isFailed: ({ end }) => end.state === 'failed' },
          () => runJob({ appContext, target, shutdownSignal, pause, logFailure }, job),
        )
        // Before the job itself, so that the other jobs of its workspace are due before it.
        await postponeOthers(db.sql, job, now())
        await endLease(db.sql, job, turn, now())
      }
    },
  })

const pauseAtMost = (ms: number): Promise<void> => Bun.sleep(Math.min(ms, MAX_PAUSE_MS))

export const oldJobDeletion = periodicWorker<AppContext>({
  name: 'old jobs',
  does: 'deletes old jobs',
  everyMs: 3_600_000,
  async work({ db, now }, stopping) {
    const before = now() - ENDED_MICROS
    while (!stopping.aborted && (await deleteEndedJobs(db.sql, before, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
  },
})
