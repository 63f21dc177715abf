/** Makes the backups that the settings ask for, removes old ones, and alerts admins when none succeeds. See docs/decisions/backups.md. */

import { languageOfEmail } from '#access/accounts/accounts'
import type { Language } from '#vocabulary/languages'
import {
  backupQueue,
  type BackupSettings,
  type BackupState,
  type DueBackup,
  listAdminAddresses,
  readBackupState,
  recordBackup,
  recordBackupAlert,
  recordFailedBackup,
  releaseBackup,
  renewBackupLease,
  scheduleBackups,
  takeBackupAlert,
} from '#access/installation/backup-schedule'
import { logError } from '#base/logging/log-error'
import { createWorkerStatistics, type LogFailure } from '#base/timing/worker-statistics'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'
import { runPeriodically, type WorkerDefinition } from '#base/timing/run-periodically'
import type { ServiceSettings } from '#context'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { Mailer } from '#crm/email/send-email'
import { type QueueWorkerDefinition, queueWorker, takeDue } from '#engine/queue'
import type { Database } from '#db/connect'
import type { Config } from '#run/config/config'
import { type Contents, describeContents, openRepository, type Repository } from './format'
import { RepositoryInUse } from './locks'
import { pruneBackups } from './prune'
import { openPlace } from './target'
import { writeBackup } from './write-backup'

export interface ScheduledBackups extends BackupSettings {
  open(): Promise<Repository>
}

/** Returns undefined when the settings ask for none. */
export function scheduledBackupsOf(config: Config): ScheduledBackups | undefined {
  const { backupTo: place, backupEvery, backupKeep: retention, backupPassphrase } = config
  if (place === undefined) return undefined
  return {
    place,
    every: backupEvery * 1000,
    retention,
    open: () => openRepository(openPlace(place, config), backupPassphrase, 'may be new'),
  }
}

export interface BackupWorkerContext {
  readonly db: Database
  readonly blobs: BlobStore
  readonly now: Clock
  readonly mail: Mailer
  readonly settings: Pick<ServiceSettings, 'appUrl'>
  readonly metrics?: { setBackups(state: BackupState): void } | undefined
  readonly backups?: ScheduledBackups | undefined
}

/** Without the setting, it does nothing. */
export const backupWorker: QueueWorkerDefinition<BackupWorkerContext> = queueWorker<BackupWorkerContext>({
  name: 'backups',
  does: 'makes backups',
  queue: backupQueue,
  everyMs: 60_000,
  async take(context, stopping, logFailure) {
    const { db, now, backups } = context
    if (backups === undefined) return undefined
    await scheduleBackups(db.sql, backups, now())
    const [due] = await takeDue(db, backupQueue, { now: now(), limit: 1 })
    return due === undefined ? undefined : () => makeBackup({ ...context, logFailure }, backups, due, stopping)
  },
})

const RENEW_EVERY_MS = 30_000

/** One process makes a backup at a time. A dead one's is begun anew by another, after a delay, because the backup may be what ended it. */
async function makeBackup(
  context: BackupWorkerContext & { readonly logFailure: LogFailure },
  backups: ScheduledBackups,
  due: DueBackup,
  stopping: AbortSignal,
): Promise<void> {
  const { db, blobs, now, logFailure } = context
  const fail = async (error: unknown) => {
    logFailure(`The backup to ${backups.place} failed. It is tried again.`, error)
    await recordFailedBackup(db, due, backups.every, now())
  }
  if (due.attempts > 1) return fail(new Error('The process that made it ended.'))
  const leaseLost = new AbortController()
  const signal = AbortSignal.any([stopping, leaseLost.signal])
  const renewal = runPeriodically(
    RENEW_EVERY_MS,
    async () => {
      if (!(await renewBackupLease(db, due, now()))) leaseLost.abort(new Error('Another process makes the backup.'))
    },
    'The lease of the backup could not be renewed.',
  )
  const began = now()
  try {
    const repository = await backups.open()
    const { name, contents } = await writeBackup({ db, blobs, repository, progress: SILENT, signal })
    const seconds = (now() - began) / 1_000_000
    await recordBackup(db, due, { began, seconds, bytes: storedBytes(contents) }, backups.every)
    await watchBackups(context).catch((error: unknown) => logError(WATCH_FAILURE, error))
    console.log(
      `Wrote the backup ${name} to ${backups.place} in ${seconds.toFixed(1)} s: ${describeContents(contents)}.`,
    )
    await prune(repository, backups, now(), stopping)
  } catch (error) {
    if (stopping.aborted) await releaseBackup(db, due, now())
    else if (!leaseLost.signal.aborted) await fail(error)
  } finally {
    await renewal.stop()
  }
}

const SILENT = { begin() {}, add() {}, done() {} }

const storedBytes = ({ tables, files }: Contents): number =>
  Object.values(tables).reduce((sum, { stored_bytes }) => sum + stored_bytes, files.bytes)

/** What is not removed now is removed after the next backup. */
async function prune(
  repository: Repository,
  { place, retention }: ScheduledBackups,
  now: Micros,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { backups, files } = await pruneBackups(repository, { retention, now: now / 1000, signal })
    if (backups.length > 0) console.log(`Removed from ${place}: the backups ${backups.join(', ')}, and ${files} files.`)
  } catch (error) {
    if (signal.aborted) return
    if (error instanceof RepositoryInUse) console.log(error.message)
    else logError(`Old backups could not be removed from ${place}.`, error)
  }
}

/** Every process reads the state for its metrics; one of them sends the alert. */
export const backupWatch: WorkerDefinition<BackupWorkerContext> = {
  name: 'backup watch',
  does: 'sends alerts about missing backups',
  start: (context, statistics = createWorkerStatistics()) =>
    runPeriodically(
      WATCH_EVERY_MS,
      () => statistics.run(() => watchBackups(context)),
      WATCH_FAILURE,
      statistics.logFailure,
    ),
}

const WATCH_EVERY_MS = 15_000
const WATCH_FAILURE = 'The state of the backups could not be read.'

export async function watchBackups({ db, now, mail, settings, metrics, backups }: BackupWorkerContext): Promise<void> {
  if (backups === undefined) return
  const state = await readBackupState(db.sql, backups, now())
  if (state === undefined) return
  metrics?.setBackups(state)
  if (!state.isOverdue || !(await takeBackupAlert(db.sql, backups, now()))) return
  const addresses = await listAdminAddresses(db.sql)
  let refused = 0
  for (const to of addresses) {
    const email = alertEmail(settings, state, await languageOfEmail(db, to))
    await mail.send({ to, ...email }).catch((error: unknown) => {
      refused++
      logError('The mail server refused an alert about missing backups.', error)
    })
  }
  // Refused for all, it is sent again later.
  if (refused === 0 || refused < addresses.length) await recordBackupAlert(db.sql, now())
}

function alertEmail(
  { appUrl }: Pick<ServiceSettings, 'appUrl'>,
  { last, since }: BackupState,
  language: Language,
): { readonly subject: string; readonly text: string } {
  const page = `${appUrl}/settings/workspace`
  const texts: Record<Language, readonly [subject: string, ...paragraphs: string[]]> = {
    en: [
      `No backup of ${appUrl} succeeds`,
      last === undefined
        ? `No backup of the service at ${appUrl} has succeeded since backups were set up, on ${dayOf(since)}.`
        : `The last backup of the service at ${appUrl} that succeeded is of ${dayOf(last.at)}.`,
      'It is tried again and again. The log of the service says why it fails. You get no further email before a backup succeeds.',
      `Whoever runs the service can act on this. You get the email because you are an admin of a workspace:\n\n${page}`,
    ],
    de: [
      `Keine Sicherung von ${appUrl} gelingt`,
      last === undefined
        ? `Seit der Einrichtung am ${dayOf(since)} ist keine Sicherung des Dienstes bei ${appUrl} gelungen.`
        : `Die letzte gelungene Sicherung des Dienstes bei ${appUrl} ist vom ${dayOf(last.at)}.`,
      'Sie wird immer wieder versucht. Das Protokoll des Dienstes nennt den Grund. Sie erhalten keine weitere E-Mail, bevor eine Sicherung gelingt.',
      `Handeln kann, wer den Dienst betreibt. Sie erhalten die E-Mail, weil Sie Admin eines Workspace sind:\n\n${page}`,
    ],
  }
  const [subject, ...paragraphs] = texts[language]
  return { subject, text: paragraphs.join('\n\n') }
}

const dayOf = (at: Micros): string => `${timestampFromMicros(at).slice(0, 16).replace('T', ' ')} UTC`
