/** All workers: what every process does beside requests. Leases and row locks share out the work. The event pipeline is a part of the `AppContext`. */

import { deleteExpiredInvitations } from '#access/members/invitations'
import { dashboardEmailWorker } from '#api/dashboard-emails/worker'
import { deleteOldDismissals } from '#api/console/duplicates/routes'
import { importWorker, oldImportDeletion } from '#api/console/imports/worker'
import { erasureWith } from '#api/erasure/erase-records'
import { deleteOldWrites } from '#api/http/replica/caller-writes'
import { deleteExpiredResponses } from '#api/http/idempotency/idempotent-request'
import { jobWorker, oldJobDeletion } from '#api/jobs/run/worker'
import { oldRequestDeletion } from '#api/http/recent-requests/recent-requests'
import { oldToolCallDeletion } from '#api/mcp/calls'
import { videoWorker } from '#api/resources/call-recordings/fetch/fetch-video'
import { deletedObjectWorker } from '#api/entities/erase-deleted'
import { retentionWorker } from '#api/retention/worker'
import { removalWorker } from '#api/workspace-deletion/removal'
import { ENTRIES } from '#api/resources/entries/resource'
import { ACTIVITY_RECORDS } from '#api/resources/activity-records/resource'
import { RECORD_JOBS } from '#api/resources/records/resource'
import { runGarbageCollection } from '#base/memory/collect-garbage'
import { periodicWorker, type RunningWorker, type WorkerDefinition } from '#base/timing/run-periodically'
import {
  createStatisticsOfWorkers,
  createWorkerStatistics,
  type StatisticsOfWorkers,
} from '#base/timing/worker-statistics'
import type { AppContext, WakeableWorkers } from '#context'
import { blobDeletion, temporaryFileDeletion } from '#crm/blobs/blob-store'
import { contactWorker } from '#crm/contacts/worker'
import { feedWorker } from '#crm/feed-worker'
import { pictureWorker } from '#crm/record-pictures/worker'
import { deleteUnusedPictures } from '#crm/record-pictures/store'
import { digestWorker } from '#crm/email/digests/send-digests'
import { alertWorker } from '#crm/email/webhook-alerts/send-alerts'
import { interactionWorker } from '#crm/interactions/refresh-records'
import { deleteExpiredTrash } from '#engine/entities/trash/delete-expired'
import { formulaWorker } from '#engine/formulas/fill'
import { rollupWorker } from '#engine/rollups/refresh'
import { runIndexWorker } from '#engine/indexes/worker'
import { type AnyQueue, type QueueLength, type QueueWorkerDefinition, readQueueLength } from '#engine/queue'
import { readDeliveryLength } from '#events/webhooks/queue/lease'
import { deleteUnwantedTexts } from '#crm/mailboxes/email-texts'
import { deleteOldSentEmails } from '#transfer/connected-accounts/sending/store'
import { sendingWorker } from '#transfer/connected-accounts/sending/worker'
import { accountWorker } from '#transfer/connected-accounts/worker'
import { backupWatch, backupWorker, type ScheduledBackups } from '#run/backup/scheduled-backups'

/** What the workers need beside the `AppContext`. */
export interface WorkerContext extends AppContext {
  readonly url: string
  /** For how many days events and calls of tools are kept. */
  readonly eventsDays: number
  readonly indexUnusedDays: number
  readonly backups: ScheduledBackups | undefined
}

/** The workers that take their work from a queue. */
const QUEUE_WORKERS: readonly QueueWorkerDefinition<WorkerContext>[] = [
  jobWorker([RECORD_JOBS, { entities: ENTRIES }, { entities: ACTIVITY_RECORDS }]),
  importWorker,
  videoWorker(),
  pictureWorker,
  contactWorker,
  interactionWorker,
  digestWorker,
  alertWorker,
  backupWorker,
  retentionWorker(),
  removalWorker,
  deletedObjectWorker(),
  formulaWorker(),
  rollupWorker(),
  accountWorker(),
  sendingWorker,
  dashboardEmailWorker,
]

export const QUEUES: readonly AnyQueue[] = QUEUE_WORKERS.map(({ queue }) => queue)

const EXPIRY_BATCH_SIZE = 1000
/** A record has more rows than an answer. */
const TRASH_BATCH_SIZE = 100

export const WORKERS: readonly WorkerDefinition<WorkerContext>[] = [
  ...QUEUE_WORKERS,
  feedWorker,
  backupWatch,
  periodicWorker({
    name: 'queue lengths',
    does: 'reads the lengths of the queues for the metrics',
    everyMs: 15_000,
    work: readQueueLengths,
  }),
  {
    name: 'indexes',
    does: 'builds and drops indexes',
    start: ({ db, url, now, indexUnusedDays, replica, monitor }, statistics = createWorkerStatistics()) =>
      runIndexWorker({ db, url, now, unusedDays: indexUnusedDays, replica, statistics, tracer: monitor?.tracer }),
  },
  periodicWorker({
    name: 'expiry',
    does: 'deletes expired answers, invitations, dismissals, sent emails, times of writes and records in the trash, unwanted texts of emails, and unused pictures',
    everyMs: 600_000,
    // Several processes may run this: each skips the rows that another one has locked.
    async work({ db, now }, stopping) {
      for (const deleteBatch of [
        deleteExpiredResponses,
        deleteExpiredInvitations,
        deleteOldDismissals,
        deleteOldSentEmails,
        deleteOldWrites,
        deleteUnwantedTexts,
        deleteUnusedPictures,
      ])
        while (!stopping.aborted && (await deleteBatch(db, now(), EXPIRY_BATCH_SIZE)) === EXPIRY_BATCH_SIZE);
      const prepareErasure = erasureWith({ now })
      const expiry = () => ({ now: now(), batchSize: TRASH_BATCH_SIZE, prepareErasure })
      while (!stopping.aborted && (await deleteExpiredTrash(db, expiry())));
    },
  }),
  oldJobDeletion,
  oldImportDeletion,
  oldToolCallDeletion,
  oldRequestDeletion,
  blobDeletion,
  temporaryFileDeletion,
  {
    name: 'garbage',
    does: 'collects the garbage of the process',
    start: (_, statistics) => runGarbageCollection(statistics),
  },
]

export interface Workers extends WakeableWorkers {
  start(context: WorkerContext): Promise<void>
  /** Stops all workers, and waits for the end of what they do. */
  stop(): Promise<void>
}

/** The lengths are those of the installation, so every process gives the same ones. */
export async function readQueueLengths({
  db,
  now,
  metrics,
}: Pick<AppContext, 'db' | 'now' | 'metrics'>): Promise<void> {
  if (metrics === undefined) return
  const at = now()
  const set = (name: string, { waiting, since }: QueueLength) =>
    metrics.setQueue(name, { waiting, oldestSeconds: since === undefined ? 0 : Math.max(0, (at - since) / 1_000_000) })
  for (const { name, queue } of QUEUE_WORKERS) set(name, await readQueueLength(db.sql, queue, at))
  set('webhooks', await readDeliveryLength(db.sql, at))
}

/** A worker that is woken before its start finds its work then. */
export function createWorkers(statistics: StatisticsOfWorkers = createStatisticsOfWorkers()): Workers {
  const running = new Map<string, RunningWorker>()
  return {
    wake: (name) => running.get(name)?.wake?.(),
    async start(context) {
      for (const worker of WORKERS) running.set(worker.name, await worker.start(context, statistics.of(worker.name)))
    },
    async stop() {
      await Promise.all([...running.values()].map((worker) => worker.stop()))
    },
  }
}
