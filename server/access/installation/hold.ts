/**
 * The hold: while a database may be a copy, workers send nothing. Each process compares the identity of the database at its start.
 * An admin, a command or a setting decides whether it is a move or a copy. See docs/decisions/database-copies.md.
 */

import { type RawBuilder, sql as expression } from 'kysely'
import { controlQueriesIn, jsonb, notify } from '#engine/data-model/kysely-in-transaction'
import type { Database, Sql, Transaction } from '#db/connect'
import type { AuditActor } from '#access/audit-log/audit'
import { logError } from '#base/logging/log-error'
import { type Micros, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import { COMMAND } from '#db/program'
import { createWorkLoop } from '#base/timing/run-periodically'
import { type Identity, type IdentitySource, isSameDatabase, readIdentity } from './identity'
import { lockPublishers } from '#engine/outbox/outbox'

export type Decision = 'move' | 'copy'

interface Hold {
  readonly heldAt: string
  /** The identity that a process found, which differs from the stored one. */
  readonly found: Identity
}

export interface Installation {
  readonly stored: Identity
  readonly hold: Hold | undefined
}

/** Processes are notified of each change of the hold. */
const CHANNEL = 'relata_hold'

/** Returns undefined before the first start of a service on the database. */
export const readInstallation = (sql: Sql): Promise<Installation | undefined> => selectInstallation(sql, false)

async function selectInstallation(on: Sql | Transaction, isLocked: boolean): Promise<Installation | undefined> {
  const row = await controlQueriesIn(on)
    .selectFrom('relata.installation')
    .select(['identity', 'found', 'held_at'])
    .$if(isLocked, (query) => query.forUpdate())
    .executeTakeFirst()
  if (row === undefined) return undefined
  const stored = JSON.parse(row.identity) as Identity // this module wrote both
  if (row.found === null || row.held_at === null) return { stored, hold: undefined }
  return { stored, hold: { heldAt: timestampFromPostgres(row.held_at), found: JSON.parse(row.found) as Identity } }
}

interface Check {
  readonly found: Identity
  /** The setting `RELATA_ON_COPY`. */
  readonly onCopy: Decision | 'hold'
  readonly now: Micros
}

/**
 * Runs at the start of a process, before its workers. The first process stores the identity. A process that finds another one holds
 * what is sent. A process that finds the stored one proves that the database is no copy, and ends the hold. Returns what the log says of
 * a decision that the setting made.
 */
export async function checkInstallation(sql: Sql, { found, onCopy, now }: Check): Promise<string | undefined> {
  return sql.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    await control
      .insertInto('relata.installation')
      .values({ identity: jsonb(found) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const { stored = found } = (await selectInstallation(tx, true)) ?? {}
    if (isSameDatabase(stored, found)) return void (await release(tx, withUnread(found, stored)))
    const held_at = timestampFromMicros(now)
    await control
      .updateTable('relata.installation')
      .set(({ fn, val }) => ({ found: jsonb(found), held_at: fn.coalesce('held_at', val(held_at)) }))
      .execute()
    await notify(tx, CHANNEL)
    if (onCopy === 'hold') return undefined
    await decideIn(tx, onCopy, BY_SETTING, now)
    return `The database is ${BY_SETTING_TEXTS[onCopy]} (RELATA_ON_COPY=${onCopy}). It serves ${nameOf(found)} now.`
  }) as Promise<string | undefined> // the driver's type for the callback's result is wider
}

/**
 * Whether the database is the one that its service was started on last, and nothing is held. A copy that is to take its place may
 * then take its identity (`takeIdentity`).
 */
export async function isOriginal(sql: Sql, source: IdentitySource): Promise<boolean> {
  const installation = await readInstallation(sql)
  if (installation === undefined || installation.hold !== undefined) return false
  const { stored } = installation
  return isSameDatabase(stored, { ...(await readIdentity(sql, source)), base_url: stored.base_url })
}

/** Stores the identity of a copy that takes the place of its original. It keeps the public address. */
export async function takeIdentity(sql: Sql, source: IdentitySource): Promise<void> {
  const found = await readIdentity(sql, source)
  await sql.begin(async (tx) => {
    const { stored = found } = (await selectInstallation(tx, true)) ?? {}
    await release(tx, { ...withUnread(found, stored), base_url: stored.base_url })
  })
}

const BY_SETTING_TEXTS = {
  move: 'moved, and everything that waited is sent',
  copy: 'a copy: what waited is dropped, and all webhooks are inactive',
}

const BY_SETTING: Decider = { actor: { type: 'system', id: 'RELATA_ON_COPY' } }

/** What a process cannot read stays as it was. */
const withUnread = (found: Identity, stored: Identity): Identity => ({
  ...found,
  server: found.server ?? stored.server,
  data_file: found.data_file ?? stored.data_file,
})

async function release(tx: Transaction, identity: Identity): Promise<void> {
  const { numUpdatedRows } = await controlQueriesIn(tx)
    .updateTable('relata.installation')
    .set({ identity: jsonb(identity), found: null, held_at: null })
    .where(({ eb, or }) => or([eb('identity', '<>', jsonb(identity)), eb('held_at', 'is not', null)]))
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await notify(tx, CHANNEL)
}

/** Who decides. The audit log of another workspace does not name the member. */
interface Decider extends AuditActor {
  /** The workspace of the member who decides. */
  readonly workspaceId?: string
}

/** The database takes the identity that was found. A copy also gives up what it was about to send. Returns false when nothing is held. */
export async function decide(db: Database, decision: Decision, decider: Decider, now: Micros): Promise<boolean> {
  return db.sql.begin((tx) => decideIn(tx, decision, decider, now)) as Promise<boolean> // the driver's type for the callback's result is wider
}

async function decideIn(tx: Transaction, decision: Decision, decider: Decider, now: Micros): Promise<boolean> {
  const { stored, hold } = (await selectInstallation(tx, true)) ?? {}
  if (stored === undefined || hold === undefined) return false
  if (decision === 'copy') await dropOutgoing(tx, now)
  await auditDecision(tx, decision, decider, { before: stored.base_url, after: hold.found.base_url }, now)
  await release(tx, hold.found)
  return true
}

/** Each workspace has an entry, because the decision is about the webhooks and emails of all. */
async function auditDecision(
  tx: Transaction,
  decision: Decision,
  { actor, address = null, workspaceId }: Decider,
  addresses: { readonly before: string | null; readonly after: string | null },
  now: Micros,
): Promise<void> {
  const isNamed = expression<boolean>`(${workspaceId ?? null}::uuid is null or w.id = ${workspaceId ?? null}::uuid)`
  const whenNamed = (value: string | null, otherwise: string | null): RawBuilder<string | null> =>
    expression`case when ${isNamed} then ${value}::text else ${otherwise}::text end`
  await controlQueriesIn(tx)
    .insertInto('relata.audit_log')
    .columns([
      'id',
      'workspace_id',
      'action',
      'actor_type',
      'actor_id',
      'subject_type',
      'subject_name',
      'details',
      'address',
      'created_at',
    ])
    .expression((query) =>
      query
        .selectFrom('relata.workspaces as w')
        .select(({ fn, val }) => [
          fn<string>('gen_random_uuid').as('id'),
          'w.id as workspace_id',
          val(decision === 'move' ? 'installation.moved' : 'installation.copied').as('action'),
          whenNamed(actor?.type ?? null, 'system').as('actor_type'),
          whenNamed(actor?.id ?? null, null).as('actor_id'),
          val('installation').as('subject_type'),
          val(addresses.after ?? LOCAL).as('subject_name'),
          jsonb(addresses).as('details'),
          whenNamed(address, null).as('address'),
          expression<string>`${timestampFromMicros(now)}::timestamptz`.as('created_at'),
        ]),
    )
    .execute()
}

/** What the log says when the hold begins or ends. */
export function describeHold({ stored, hold }: Installation): string {
  if (hold === undefined) return `Nothing is held. The database serves ${nameOf(stored)}.`
  const differing =
    hold.found.base_url === stored.base_url
      ? 'a service was started on another server, or on a copy of the data'
      : `a service was started at ${nameOf(hold.found)}`
  return (
    `Webhooks, emails and fetches of videos are held: the database serves ${nameOf(stored)}, and ${differing}. ` +
    `Decide in the console, or with "${COMMAND} installation move" or "${COMMAND} installation copy". ` +
    'docs/running.md says what each does (Moving and copies).'
  )
}

const LOCAL = 'a local address'
const nameOf = ({ base_url }: Identity): string => base_url ?? LOCAL

export interface HoldWatch {
  stop(): Promise<void>
}

/** Reads the hold now and at each change of any process. `onChange` runs when it began or ended. */
export async function watchHold(db: Database, onChange: (hold: Installation) => void): Promise<HoldWatch> {
  let isHeld = false
  const loop = createWorkLoop(
    async () => {
      const installation = await readInstallation(db.sql)
      if (installation === undefined || isHeld === (installation.hold !== undefined)) return
      isHeld = !isHeld
      onChange(installation)
    },
    (error) => logError('The hold of what is sent could not be read.', error),
  )
  // A connection that was lost may have missed notifications, so a new one reads again.
  const listening = await db.sql.listen(CHANNEL, loop.request, loop.request)
  await loop.settled()
  return {
    async stop() {
      loop.stop()
      await listening.unlisten()
      await loop.settled()
    },
  }
}

// Drops everything that waits to be sent, so that a copy sends nothing of its original. See docs/decisions/database-copies.md.

/** Afterwards no webhook is active. An update of a webhook activates it again, for the events from then on. */
async function dropOutgoing(tx: Transaction, now: Micros): Promise<void> {
  // A publisher that had read the active webhooks would insert deliveries for them afterwards.
  await lockPublishers(tx)
  await deactivateWebhooks(tx, timestampFromMicros(now))
  await dropEmails(tx)
  await failFetches(tx)
}

/** Locks webhooks in the order of their ids, as all code does that locks several. */
async function deactivateWebhooks(tx: Transaction, at: string): Promise<void> {
  const control = controlQueriesIn(tx)
  await control
    .with(
      (name) => name('locked').materialized(),
      (query) => query.selectFrom('relata.webhooks').select(['workspace_id', 'id']).orderBy('id').forUpdate(),
    )
    .updateTable('relata.webhooks as w')
    .from('locked')
    .set({ status: 'inactive', due_at: null, leased_by: null, leased_until: null })
    .whereRef('w.workspace_id', '=', 'locked.workspace_id')
    .whereRef('w.id', '=', 'locked.id')
    .execute()
  await control
    .updateTable('relata.deliveries')
    .set({ status: 'dropped', due_at: null, finished_at: at })
    .where('due_at', 'is not', null)
    .execute()
}

/** Notifications stay in the inboxes of their members. */
async function dropEmails(tx: Transaction): Promise<void> {
  const control = controlQueriesIn(tx)
  await control.deleteFrom('relata.webhook_alerts').execute()
  await control
    .updateTable('relata.inboxes')
    .set({ due_at: null, attempts: 0 })
    .where('due_at', 'is not', null)
    .execute()
  await control
    .updateTable('relata.notifications')
    .set({ is_digested: true })
    .where('is_digested', '=', false)
    .execute()
}

/** Locks each recording before its fetch, as the store of fetches does. */
async function failFetches(tx: Transaction): Promise<void> {
  await controlQueriesIn(tx)
    .with('failed', (query) =>
      query
        .updateTable('relata.call_recordings as r')
        .from('relata.call_recording_fetches as f')
        .set({ status: 'failed' })
        .whereRef('r.workspace_id', '=', 'f.workspace_id')
        .whereRef('r.id', '=', 'f.call_recording_id')
        .returning(['r.workspace_id', 'r.id']),
    )
    .deleteFrom('relata.call_recording_fetches as f')
    .using('failed')
    .whereRef('f.workspace_id', '=', 'failed.workspace_id')
    .whereRef('f.call_recording_id', '=', 'failed.id')
    .execute()
}
