/**
 * Creates and links contacts beside requests: the people of participants, the companies and the earlier meetings of people. Every process runs
 * a worker; a job is taken by one of them. See docs/reference/meetings.md (People and companies); decision 0091.
 */

import type { Database } from '#db/connect'
import type { RequestContext } from '#context'
import type { ModelCache } from '#engine/data-model/cache'
import { type DataModel, SYSTEM_ACTOR } from '#engine/data-model/model'
import { logError } from '#base/logging/log-error'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import type { Clock } from '#base/timing/clock'
import { type PeriodicTask, runPeriodically } from '#base/timing/run-periodically'
import { claimJobs, type ContactJob, deleteJobs, queuePeople } from './job-store'
import { linkCompanies } from './link-companies'
import { linkEarlierMeetings } from './link-earlier-meetings'
import { linkParticipants } from './link-participants'

export interface ContactWorkerOptions {
  readonly db: Database
  readonly models: Pick<ModelCache, 'get' | 'reload'>
  readonly now: Clock
  /** Called after a job whose writes may have change events. */
  readonly onWritten: () => void
}

const INTERVAL_MS = 2_000
const BATCH_SIZE = 20
/** People whose companies and meetings are looked up together. */
const MAX_TOGETHER = 500
/** After this many attempts a job is dropped; the log has the reasons. */
const MAX_ATTEMPTS = 10
/** Stopping waits for the jobs that run. */
export const runContactWorker = (options: ContactWorkerOptions): PeriodicTask =>
  runPeriodically(
    INTERVAL_MS,
    (stopping) => runContactJobs(options, stopping),
    'The queue of contacts could not be read.',
  )

/** Runs the due jobs, until none is due or the signal aborts. */
export async function runContactJobs(options: ContactWorkerOptions, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const claimed = await claimJobs(options.db, options.now(), BATCH_SIZE)
    for (const jobs of groupJobs(claimed)) {
      // The remaining jobs become due again after their delay.
      if (signal?.aborted === true) return
      await runJobs(options, jobs).catch((error: unknown) => logError('Contacts could not be linked yet.', error))
    }
    if (claimed.length < BATCH_SIZE) return
  }
}

/** First attempts at people of a workspace run together. Later ones run alone, so that no job holds up another one. */
const groupJobs = (jobs: readonly ContactJob[]): readonly ContactJob[][] => [
  ...Map.groupBy(jobs, ({ workspace_id, id, meeting_id, attempts }) =>
    meeting_id === null && attempts === 1 ? workspace_id : id,
  ).values(),
]

/** Runs one job, or several with people of one workspace. */
async function runJobs(options: ContactWorkerOptions, jobs: readonly ContactJob[]): Promise<void> {
  const [first] = jobs
  if (first === undefined) return
  const { workspace_id, meeting_id, attempts } = first
  if (attempts <= MAX_ATTEMPTS) {
    const context = contextOf(options, await options.models.get(workspace_id))
    if (meeting_id !== null) await linkParticipants(context, meeting_id)
    else await linkAll(context, jobs)
    options.onWritten()
  }
  await deleteJobs(options.db, workspace_id, jobs)
}

async function linkAll(context: RequestContext, jobs: readonly ContactJob[]): Promise<void> {
  const ids = [...new Set(jobs.flatMap(({ record_ids }) => record_ids ?? []))]
  const { model, db } = context
  for (let start = 0; start < ids.length; start += MAX_TOGETHER) {
    const together = ids.slice(start, start + MAX_TOGETHER)
    if (model.workspace.creates_contacts) await linkCompanies(context, together)
    const unfinished = await linkEarlierMeetings(context, together)
    if (unfinished.length === 0) continue
    const queued = { workspace_id: model.workspace.id, record_ids: unfinished, is_bulk: false }
    await queuePeople(db.sql, [queued], context.now())
  }
}

/** The service itself acts. */
const contextOf = ({ db, models, now }: ContactWorkerOptions, model: DataModel): RequestContext => ({
  model,
  reloadModel: () => models.reload(model.workspace.id),
  actor: SYSTEM_ACTOR,
  scopes: new Set(READ_WRITE_SCOPES),
  db,
  now,
})
