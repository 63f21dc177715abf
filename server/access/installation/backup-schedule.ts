/**
 * The schedule of the service's backups: a queue with one row. The console and `/metrics` read from it when the last backup ended.
 * See docs/decisions/backups.md.
 */

import { sql as expression } from 'kysely'
import type { Database, Sql } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { leaseOf, type Queue, released, type Taken, updateLeased } from '#engine/queue'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'

/** A backup is kept when one of the two says so. The newest one is always kept. */
export interface Retention {
  /** Keeps this many, the newest ones. */
  readonly count?: number
  /** Keeps those that are not older. */
  readonly ageMs?: number
}

/** What the settings say of scheduled backups. */
export interface BackupSettings {
  readonly place: string
  readonly every: Micros
  readonly retention: Retention
}

/** Returns when the backups that exist at a time are removed at the latest, while scheduled backups succeed. */
export function endOfBackups({ every, retention: { count = 1, ageMs } }: BackupSettings, at: Micros): Micros {
  const byCount = Math.max(count, 1) * every
  // A backup is removed after the first one that begins when it is too old.
  const byAge = ageMs === undefined ? 0 : ageMs * 1000 + every
  return at + Math.max(byCount, byAge)
}

export type DueBackup = Taken<'relata.backup_schedule'>

const MINUTE: Micros = 60_000_000

/** A copy of a database makes no backup before a decision: it would replace those of its original. */
export const backupQueue = {
  table: 'relata.backup_schedule',
  isBeyondWorkspaces: true,
  id: 'workspace_id',
  lease: 2 * MINUTE,
  sends: true,
} as const satisfies Queue<'relata.backup_schedule'>

/** Makes the row of the settings. Another place begins anew: a backup of it is due. */
export async function scheduleBackups(sql: Sql, { place, every }: BackupSettings, now: Micros): Promise<void> {
  const at = timestampFromMicros(now)
  await sql.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    await control
      .insertInto('relata.backup_schedule')
      .values({ place, since: at, due_at: at })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await control
      .updateTable('relata.backup_schedule')
      .set({ place, since: at, due_at: at, succeeded_at: null, seconds: null, bytes: null, alerted_at: null })
      .set({ failures_in_a_row: 0, leased_by: null, worker: null, attempts: 0 })
      .where('place', '<>', place)
      .execute()
    // A shorter time between backups applies at once.
    await control
      .updateTable('relata.backup_schedule')
      .set({ due_at: expression<string>`succeeded_at + ${intervalOf(every)}` })
      .where('leased_by', 'is', null)
      .where('failures_in_a_row', '=', 0)
      .where(expression<boolean>`due_at > succeeded_at + ${intervalOf(every)}`)
      .execute()
  })
}

const intervalOf = (micros: Micros) => expression`make_interval(secs => ${micros / 1_000_000}::float8)`

export interface BackupState {
  /** Since when backups are scheduled at the place. */
  readonly since: Micros
  /** When the newest backup began that ended; how long it took, and the bytes of its tables and files. */
  readonly last: { readonly at: Micros; readonly seconds: number; readonly bytes: number } | undefined
  readonly failures: number
  readonly failuresInARow: number
  /** Whether none has ended for twice the time between two backups. */
  readonly isOverdue: boolean
}

/** Returns undefined before the first start with these settings. */
export async function readBackupState(
  sql: Sql,
  { place, every }: BackupSettings,
  now: Micros,
): Promise<BackupState | undefined> {
  const row = await controlQueriesIn(sql)
    .selectFrom('relata.backup_schedule')
    .selectAll()
    .where('place', '=', place)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const since = microsFromPostgres(row.since)
  const at = row.succeeded_at === null ? undefined : microsFromPostgres(row.succeeded_at)
  return {
    since,
    last: at === undefined ? undefined : { at, seconds: row.seconds ?? 0, bytes: Number(row.bytes ?? 0) },
    failures: Number(row.failures),
    failuresInARow: row.failures_in_a_row,
    isOverdue: now - (at ?? since) > 2 * every,
  }
}

/** Returns false when the lease was lost. */
const change = async (db: Database, due: DueBackup, changes: Readonly<Record<string, unknown>>): Promise<boolean> =>
  (await updateLeased(db.sql, backupQueue, leaseOf(backupQueue, due), changes, 'place')) !== undefined

export const renewBackupLease = (db: Database, due: DueBackup, now: Micros): Promise<boolean> =>
  change(db, due, { due_at: timestampFromMicros(now + backupQueue.lease) })

interface EndedBackup {
  readonly began: Micros
  readonly seconds: number
  readonly bytes: number
}

/** The next one is due `every` after this one began. */
export const recordBackup = (
  db: Database,
  due: DueBackup,
  { began, seconds, bytes }: EndedBackup,
  every: Micros,
): Promise<boolean> =>
  change(db, due, {
    ...released(began + every),
    succeeded_at: timestampFromMicros(began),
    seconds,
    bytes: String(bytes),
    failures_in_a_row: 0,
    alert_due_at: null,
    alert_attempts: 0,
    alerted_at: null,
  })

const LONGEST_DELAY = 60 * MINUTE

/** The next attempt is due after a minute, twice as long after each further failure, at most an hour. */
export const recordFailedBackup = (db: Database, due: DueBackup, every: Micros, now: Micros): Promise<boolean> =>
  change(db, due, {
    ...released(now + Math.min(MINUTE * 2 ** Math.min(due.failures_in_a_row, 10), LONGEST_DELAY, every)),
    failures: expression`failures + 1`,
    failures_in_a_row: due.failures_in_a_row + 1,
  })

/** The process stops. The next one begins the backup anew. */
export const releaseBackup = (db: Database, due: DueBackup, now: Micros): Promise<boolean> =>
  change(db, due, released(now))

const FIRST_ALERT_DELAY = 5 * MINUTE

/**
 * Takes the alert about missing backups, when it is due and was not sent since the last backup. Then it is not due for some minutes,
 * longer at each attempt. Returns false when there is nothing to send.
 */
export async function takeBackupAlert(sql: Sql, { place, every }: BackupSettings, now: Micros): Promise<boolean> {
  const at = timestampFromMicros(now)
  const { numUpdatedRows } = await controlQueriesIn(sql)
    .updateTable('relata.backup_schedule')
    .set({
      alert_attempts: expression`alert_attempts + 1`,
      alert_due_at: expression<string>`${at}::timestamptz + ${intervalOf(FIRST_ALERT_DELAY)} * 2 ^ least(alert_attempts, 8)`,
    })
    .where('place', '=', place)
    .where('alerted_at', 'is', null)
    .where(expression<boolean>`coalesce(succeeded_at, since) + ${intervalOf(2 * every)} < ${at}::timestamptz`)
    .where(expression<boolean>`coalesce(alert_due_at <= ${at}::timestamptz, true)`)
    .where(expression<boolean>`not exists (select from relata.installation where held_at is not null)`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function recordBackupAlert(sql: Sql, now: Micros): Promise<void> {
  await controlQueriesIn(sql)
    .updateTable('relata.backup_schedule')
    .set({ alerted_at: timestampFromMicros(now) })
    .execute()
}

/** The addresses of the admins of all workspaces, each once. */
export async function listAdminAddresses(sql: Sql): Promise<string[]> {
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.workspace_members')
    .select('email_address')
    .distinct()
    .where('access_level', '=', 'admin')
    .orderBy('email_address')
    .execute()
  return rows.map(({ email_address }) => email_address)
}
