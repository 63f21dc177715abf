/**
 * Writes of many records or entries that go on while a person works elsewhere: their progress, and a message at their end. The
 * service runs jobs; batches of named ones are sent from here, one after the other.
 */

import type { EntityTypePath } from '../api/data-model/attributes'
import { ApiError, toApiError } from '../api/errors'
import { BATCH_SIZE, type BatchOutcome, cancelJob, getJob, type Job } from '../api/records/bulk'
import { numberText } from '../values/formats'
import { toasts, type ToastAction } from './toasts.svelte'

const POLL_MS = 500

/** What a run is called while it runs and at its end. */
export interface RunTexts {
  /** "Deleting". */
  readonly progress: string
  /** "3 people deleted". `kept` is how many an undo left alone. */
  done(count: number, kept?: number): string
  readonly action?: ToastAction
}

export interface RunEnd {
  readonly done: number
  readonly kept: number
  readonly failed: number
  /** Why the first one was refused, or why the run ended early. */
  readonly reason: string | undefined
  readonly isFailed: boolean
}

export class BulkRun {
  readonly entityType: EntityTypePath
  readonly texts: RunTexts
  done = $state(0)
  total = $state(0)
  isCancelled = $state(false)
  /** The job of the service; undefined for batches. */
  jobId: string | undefined

  constructor(entityType: EntityTypePath, texts: RunTexts, total: number) {
    this.entityType = entityType
    this.texts = texts
    this.total = total
  }

  cancel(): void {
    this.isCancelled = true
    if (this.jobId !== undefined) void cancelJob(this.jobId).catch((error: unknown) => toasts.fail(error))
  }
}

class BulkRuns {
  list = $state.raw<readonly BulkRun[]>([])

  of({ kind, slug }: EntityTypePath): BulkRun | undefined {
    return this.list.find(({ entityType }) => entityType.kind === kind && entityType.slug === slug)
  }

  /** Follows a job to its end, unless it is followed already. */
  async follow(entityType: EntityTypePath, texts: RunTexts, job: Job): Promise<void> {
    if (this.list.some(({ jobId }) => jobId === job.id.job_id)) return
    const run = new BulkRun(entityType, texts, job.total)
    run.done = triedOf(job)
    run.isCancelled = job.status === 'cancelled'
    run.jobId = job.id.job_id
    await this.#run(run, () => followJob(run, job))
  }

  /** Writes in batches what `batches` returns. */
  write(
    run: BulkRun,
    batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
    write: (ids: readonly string[]) => Promise<BatchOutcome>,
  ): Promise<void> {
    return this.#run(run, () => writeBatches(run, batches, write))
  }

  async #run(run: BulkRun, work: () => Promise<RunEnd>): Promise<void> {
    this.list = [...this.list, run]
    try {
      say(run, await work())
    } catch (error) {
      toasts.fail(toApiError(error))
    } finally {
      this.list = this.list.filter((one) => one !== run)
    }
  }
}

export const bulkRuns = new BulkRuns()

const triedOf = ({ done, failed, kept }: Job): number => done + failed + kept

async function followJob(run: BulkRun, created: Job): Promise<RunEnd> {
  let job = created
  while (job.ended_at === null) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    job = await getJob(created.id.job_id).catch((error: unknown) => {
      // The job continues while the service cannot be reached.
      if (error instanceof ApiError && !error.isNotFound && !error.isForbidden) return job
      throw error
    })
    run.done = triedOf(job)
    run.total = job.total
  }
  const reason = job.failure ?? job.errors[0]?.error.message
  return { done: job.done, kept: job.kept, failed: job.failed, reason, isFailed: job.status === 'failed' }
}

async function writeBatches(
  run: BulkRun,
  batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  write: (ids: readonly string[]) => Promise<BatchOutcome>,
): Promise<RunEnd> {
  let done = 0
  const refusals: string[] = []
  for await (const ids of batches) {
    if (run.isCancelled) break
    const outcome = await write(ids)
    done += outcome.done.length
    refusals.push(...outcome.refusals)
    run.done += ids.length
  }
  return { done, kept: 0, failed: refusals.length, reason: refusals[0], isFailed: false }
}

function say({ texts, isCancelled }: BulkRun, { done, kept, failed, reason, isFailed }: RunEnd): void {
  const start = isCancelled ? `Cancelled: ${texts.done(done, kept)}` : texts.done(done, kept)
  if (isFailed || failed > 0) {
    const others = failed > 0 ? `, ${numberText(failed)} failed` : ''
    toasts.fail(`${start}${others}. ${reason ?? ''}`.trim())
  } else toasts.show(start, texts.action)
}

/** Ids in batches of the size that shows progress. */
export function* inBatches(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += BATCH_SIZE) yield ids.slice(at, at + BATCH_SIZE)
}
