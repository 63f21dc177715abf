/**
 * Publishes the events in the outboxes: those of this process soon after it wrote them, and those of a process that was killed
 * within about two seconds. Every process runs a publisher; the publishers take turns.
 */

import type { Database } from '#db/connect'
import { logError } from '#base/logging/log-error'
import type { Tracer } from '#base/monitoring/tracer'
import type { Clock } from '#base/timing/clock'
import { createWakeSignal } from '#base/timing/wait'
import { createWorkerStatistics, type WorkerStatistics } from '#base/timing/worker-statistics'
import { type LockedGroups, outboxWriterOf } from '#engine/outbox/outbox'
import { type OnPublish, publishBatch } from './publish'
import { MAX_BATCH } from './outboxes/read-outboxes'

export interface Publisher {
  /** An outbox may have new events. */
  wake(): void
  /** Finishes the running batch. */
  stop(): Promise<void>
}

export interface PublishedBatch {
  /** The number of writes. */
  readonly writes: number
  /** The groups of workspaces that another process may have published since the batch before. */
  readonly gaps: ReadonlySet<number>
}

/** What a publisher calls, and how it polls. */
interface PublisherOptions {
  /** Runs when a batch and what `onPublish` wrote are committed, also for one without writes. */
  readonly onPublished?: (batch: PublishedBatch) => void
  readonly pollMs?: number
  readonly statistics?: WorkerStatistics
  readonly tracer?: Tracer | undefined
}

/** How often the publisher looks for events that other processes left. */
const POLL_MS = 1_000
/** How often the publisher deletes the registrations of this process that are not used. */
const RELEASE_EVERY_MS = 10_000
/**
 * After a batch, the publisher collects the next one for a multiple of the time that the batch took, because a small batch
 * costs little more than its transaction. So a single event is published immediately, and many writes make few batches.
 */
const COLLECT_FACTOR = 3
const MAX_COLLECT_MS = 20
/** With more writes per millisecond than this, the publisher collects for longer. */
const BUSY_PER_MS = 0.5
const COLLECT_WHEN_BUSY_MS = 80

export function runPublisher(
  db: Database,
  now: Clock,
  onPublish: OnPublish,
  { onPublished = () => {}, pollMs = POLL_MS, statistics = createWorkerStatistics(), tracer }: PublisherOptions = {},
): Publisher {
  const state = { isStopped: false }
  const wakeSignal = createWakeSignal()
  const writer = outboxWriterOf(db)
  const abandoned = runAbandonedCheck(db, pollMs)
  writer.startPublishing()
  /** The events stay in their outboxes for a later batch. */
  const logPublishError = (error: unknown): 0 => {
    statistics.logFailure('Events could not be published yet.', error)
    return 0
  }

  const batches = createGapCheck()
  const publishNext = async () => {
    const writes = await publishBatch(db, now, onPublish, { tracer, onLocked: batches.add })
    onPublished({ writes, gaps: batches.takeGaps() })
    return writes
  }

  const publish = async () => {
    for (let endedAt = performance.now(); !state.isStopped;) {
      wakeSignal.clear()
      const startedAt = performance.now()
      await abandoned.check().catch((error: unknown) => logError(CHECK_FAILED, error))
      const writes = await statistics.run(publishNext).catch(logPublishError)
      const isBusy = writes > BUSY_PER_MS * (performance.now() - endedAt)
      endedAt = performance.now()
      if (writes > 0) {
        if (writes >= MAX_BATCH || writer.unpublished.isSelectionFull()) continue
        const collectMs = Math.min(COLLECT_FACTOR * (endedAt - startedAt), MAX_COLLECT_MS)
        await Bun.sleep(isBusy ? COLLECT_WHEN_BUSY_MS : collectMs)
        if (!writer.unpublished.isEmpty()) continue
      }
      await abandoned.deletePublished().catch((error: unknown) => logError(CHECK_FAILED, error))
      // A write that ended since the batch began has woken the publisher.
      if (!state.isStopped) await wakeSignal.wait(pollMs)
    }
  }
  const publishing = publish()

  return {
    wake: wakeSignal.wake,
    async stop() {
      state.isStopped = true
      wakeSignal.wake()
      await publishing
      await writer.close().catch((error: unknown) => logError(CLOSE_FAILED, error))
    },
  }
}

/** Compares the numbers of batches with those of the batches of this process before. */
function createGapCheck() {
  const last = new Map<number, bigint>()
  let gaps = new Set<number>()
  return {
    add(groups: LockedGroups) {
      for (const [group, batch] of groups) {
        if (last.get(group) !== batch - 1n) gaps.add(group)
        last.set(group, batch)
      }
    },
    /** The groups with a gap since the last call. */
    takeGaps(): ReadonlySet<number> {
      const found = gaps
      gaps = new Set()
      return found
    },
  }
}

/** Other processes delete them when they have ended. */
const CLOSE_FAILED = 'The registrations of this process as a writer could not be deleted.'
const CHECK_FAILED = 'The outboxes of other processes could not be checked yet.'

/** Looks at intervals for outboxes with events of other processes, and adds their workspaces to those that this process publishes. */
function runAbandonedCheck(db: Database, everyMs: number) {
  const { unpublished, releaseUnused } = outboxWriterOf(db)
  const find = createAbandonedCheck(db)
  let nextAt = performance.now()
  let releaseAt = nextAt
  let ended: readonly AbandonedOutbox[] = []
  return {
    /** Call it before a batch. */
    async check() {
      if (performance.now() < nextAt) return
      nextAt = performance.now() + everyMs
      if (performance.now() >= releaseAt) {
        releaseAt = performance.now() + RELEASE_EVERY_MS
        await releaseUnused()
      }
      const found = await find()
      unpublished.select(found.map(({ workspace_id }) => workspace_id))
      ended = found.filter(({ is_ended }) => is_ended)
    },
    /** Deletes the registrations that had ended at the last check, where all events are published since. */
    async deletePublished() {
      const published = ended.filter(({ workspace_id }) => !unpublished.has(workspace_id))
      ended = []
      await deleteEndedWriters(db, published)
    },
  }
}

/**
 * Finds the workspaces in whose outboxes other processes may have left events: processes that were killed, that do not renew
 * their registration, or that do not publish. Idle workspaces have no registration, so they cost nothing.
 * See docs/decisions/events.md.
 */
interface AbandonedOutbox {
  readonly workspace_id: string
  readonly process: string
  /** Whether the process cannot write any more under its registration, which is deleted when the outbox is empty. */
  readonly is_ended: boolean
}

interface Row extends AbandonedOutbox {
  readonly is_connected: boolean
  readonly is_publishing: boolean
}

/** A process deletes registrations that it does not use soon after they ended. */
const OVERDUE_S = 30

/** Returns a function that finds the outboxes to publish. It names those of a killed process once, and once more when it is ended. */
export function createAbandonedCheck(db: Database): () => Promise<AbandonedOutbox[]> {
  let named = new Set<string>()
  return async () => {
    const rows = await db.sql<Row[]>`
      with writers as (
        select workspace_id, process, is_publishing, registered_until,
          process in (select application_name from pg_stat_activity) as is_connected
        from relata.outbox_writers where process <> ${db.pools.applicationName})
      select workspace_id, process, is_publishing, is_connected,
        not is_connected and registered_until < clock_timestamp() as is_ended
      from writers
      where not is_connected or not is_publishing
        or registered_until < clock_timestamp() - make_interval(secs => ${OVERDUE_S})`
    const isOnce = ({ is_connected, is_ended }: Row) => !is_connected && !is_ended
    const found = rows.filter((row) => !(isOnce(row) && named.has(keyOf(row))))
    named = new Set(rows.filter(isOnce).map(keyOf))
    return found
  }
}

const keyOf = ({ workspace_id, process }: AbandonedOutbox): string => `${workspace_id} ${process}`

/** Deletes registrations that ended before their outboxes were published. A process that registered again keeps its registration. */
export async function deleteEndedWriters(db: Database, outboxes: readonly AbandonedOutbox[]): Promise<void> {
  if (outboxes.length === 0) return
  await db.sql`
    delete from relata.outbox_writers w
    using unnest(${outboxes.map(({ workspace_id }) => workspace_id)}::uuid[], ${outboxes.map(({ process }) => process)}::text[])
      as ended(workspace_id, process)
    where w.workspace_id = ended.workspace_id and w.process = ended.process and w.registered_until < clock_timestamp()`
}
