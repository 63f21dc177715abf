/**
 * Creates and links contacts beside requests: the people of participants, and the companies of people. Every process runs
 * a worker; a job is taken by one of them. See docs/reference/meetings.md (People and companies); decision 0091.
 */

import type { Database } from '../../db/connect'
import type { RequestContext } from '../context'
import type { ModelCache } from '../data-model/cache'
import type { DataModel } from '../data-model/model'
import { logError } from '../logging/log-error'
import { READ_WRITE_SCOPES } from '../scopes'
import type { Clock } from '../timing/clock'
import { type PeriodicTask, runPeriodically } from '../timing/run-periodically'
import { claimJobs, type ContactJob, deleteJob } from './job-store'
import { linkCompanies } from './link-companies'
import { linkParticipants } from './link-participants'

export interface ContactWorkerOptions {
  readonly db: Database
  readonly models: Pick<ModelCache, 'get' | 'reload'>
  readonly now: Clock
  /** Called after a job whose writes may have change events. */
  readonly onWritten: () => void
}

const INTERVAL_MS = 2_000
const BATCH_SIZE = 4
/** After this many attempts a job is dropped; the log has the reasons. */
const MAX_ATTEMPTS = 10
const SYSTEM = 0

/** Stopping waits for the job that runs. */
export const runContactWorker = (options: ContactWorkerOptions): PeriodicTask =>
  runPeriodically(
    INTERVAL_MS,
    (stopping) => runContactJobs(options, stopping),
    'The queue of contacts could not be read.',
  )

/** Runs the due jobs, until none is due or the signal aborts. */
export async function runContactJobs(options: ContactWorkerOptions, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const jobs = await claimJobs(options.db, options.now(), BATCH_SIZE)
    for (const job of jobs) {
      // The remaining jobs become due again after their delay.
      if (signal?.aborted === true) return
      await runJob(options, job).catch((error: unknown) => logError('Contacts could not be linked yet.', error))
    }
    if (jobs.length < BATCH_SIZE) return
  }
}

async function runJob(options: ContactWorkerOptions, job: ContactJob): Promise<void> {
  const { db, models, onWritten } = options
  if (job.attempts <= MAX_ATTEMPTS) {
    const context = contextOf(options, await models.get(job.workspace_id))
    if (job.meeting_id !== null) await linkParticipants(context, job.meeting_id)
    else if (context.model.workspace.creates_contacts) await linkCompanies(context, job.record_ids ?? [])
    onWritten()
  }
  await deleteJob(db, job)
}

/** The service itself acts. */
const contextOf = ({ db, models, now }: ContactWorkerOptions, model: DataModel): RequestContext => ({
  model,
  reloadModel: () => models.reload(model.workspace.id),
  actor: SYSTEM,
  scopes: new Set(READ_WRITE_SCOPES),
  db,
  now,
})
