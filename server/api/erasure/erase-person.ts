/**
 * Erases a person from a workspace: deletes the records for good, takes the addresses out of emails and meetings, and replaces addresses
 * and names in all other texts. Every step can be repeated, so an erasure that was interrupted is ended by the next one for the same
 * address. See docs/decisions/erasure.md.
 */

import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { anyOf, controlQueriesIn, jsonb, equal } from '#engine/data-model/kysely-in-transaction'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { timestampFromMicros, type Clock, type Micros } from '#base/timing/clock'
import { newId } from '#base/ids'
import { personIsMember } from '#base/errors/records'
import { type BackupSettings, endOfBackups } from '#access/installation/backup-schedule'
import type { RequestContext } from '#context'
import type { Database, Transaction } from '#db/connect'
import { allowLongTransaction } from '#db/run-in-transaction'
import { loadDataModel } from '#engine/data-model/load'
import { SYSTEM_ACTOR, type DataModel, type Member } from '#engine/data-model/model'
import { openBackgroundContext } from '#engine/entities/write/background-context'
import { lockWrites } from '#engine/entities/write/retry-on-conflict'
import { findPeopleObject } from '#engine/storage/texts/people'
import type { TextPattern } from '#engine/storage/texts/text-tables'
import { eraseRecord, eraseAddresses } from './erase-records'
import { findPersonTerms, joinTerms, patternOf, type PersonTerms } from './person-terms'
import { countTexts, ERASED_NAME, eraseTexts, inLongTransaction, type TextCount } from './erase-texts'
import { deleteErasures, readStoredTerms, storeErasure, type StoredErasure, allowAuditChange } from './stored-erasures'
import { changeWorkspaceModel, type ModelChange } from '#engine/data-model/change-model'
import { removeAccountsOf } from '#transfer/connected-accounts/store'

interface ErasureOptions {
  readonly db: Database
  readonly now: Clock
  readonly workspaceId: string
  readonly address: string
  /** Undefined when the service makes none. */
  readonly backups: BackupSettings | undefined
}

/** What an erasure does, or did. */
export interface ErasureReport {
  readonly addresses: readonly string[]
  /** "First last". */
  readonly names: readonly string[]
  /** Names that stay in texts, because others have them. */
  readonly shared_names: readonly string[]
  readonly records: number
  readonly trashed_records: number
  /** Whether the person is a suspended member. */
  readonly is_member: boolean
  readonly rows: readonly TextCount[]
  /** The imports that cannot be erased before they end. */
  readonly running_imports: number
  /** When scheduled backups that have the person are removed at the latest, while they succeed; null when none are scheduled. */
  readonly backups_end_at: string | null
}

/** Counts, and changes nothing. Throws 400 and 409 as `erasePerson` does. */
export async function previewErasure(options: ErasureOptions): Promise<ErasureReport> {
  const { db, workspaceId } = options
  const { model, terms, member } = await readTerms(options)
  const pattern = patternOf(terms)
  const rows = await countTexts({ db, workspaceId, model, pattern }, new Set(terms.people.map(({ id }) => id)))
  const imports = await inLongTransaction(db, (tx) => findImportFiles(tx, workspaceId, pattern))
  const running = imports.filter(({ isRunning }) => isRunning).length
  return reportOf(options, { terms, isMember: member !== undefined, rows, running })
}

/**
 * Throws 400 for a text that is no email address, and 409 for the address of a member who is not suspended. Returns what was deleted
 * and replaced.
 */
export async function erasePerson(
  options: ErasureOptions & { readonly auditActor: AuditActor },
): Promise<ErasureReport> {
  const { db, now, workspaceId } = options
  const { model, terms, member } = await readTerms(options)
  const pattern = patternOf(terms)
  // Before anything is deleted, because it fails without the operator's key.
  const addressHash = await hashOfAddress(db, workspaceId, terms.addresses[0] ?? '')
  const stored: StoredErasure = {
    workspace_id: workspaceId,
    id: newId(),
    terms: jsonb(terms),
    expression: pattern.expression,
    begun_at: timestampFromMicros(now()),
  }
  await storeErasure(db.sql, stored)
  const context = await openBackgroundContext(db, workspaceId, now, () => SYSTEM_ACTOR)
  await deletePeople(context.context(), terms)
  await db.sql.begin(async (tx) => {
    await allowLongTransaction(tx)
    await lockWrites(tx, workspaceId)
    await eraseAddresses(tx, await loadDataModel(tx, workspaceId), terms.addresses, now)
  })
  if (member !== undefined) await eraseMember(db, { workspaceId, memberId: member.id, stored, pattern, now: now() })
  const running = await deleteImportFiles(db, workspaceId, pattern)
  const rows = await eraseTexts({ db, workspaceId, model, pattern, stored, context: () => context.context() })
  const report = reportOf(options, { terms, isMember: member !== undefined, rows, running })
  await endErasure(options, { stored, report, addressHash, isComplete: running === 0 })
  return report
}

async function readTerms(options: ErasureOptions) {
  const { db, workspaceId, address } = options
  const model = await loadDataModel(db, workspaceId)
  const found = await inLongTransaction(db, (tx) => findPersonTerms(tx, model, address))
  const stored = await readStoredTerms(db, workspaceId, found.addresses)
  const joined = stored.reduce(joinTerms, found)
  const member = findMemberToErase(model, joined.addresses)
  if (member === undefined) return { model, terms: joined, member }
  if (member.access_level !== 'suspended') throw personIsMember()
  const accountAddress = await findAccountAddress(db, model, member)
  const addresses = [...new Set([...joined.addresses, ...accountAddress])]
  return { model, terms: { ...joined, addresses }, member }
}

interface Found {
  readonly terms: PersonTerms
  readonly isMember: boolean
  readonly rows: ErasureReport['rows']
  readonly running: number
}

const reportOf = (
  { backups, now }: ErasureOptions,
  { terms: { addresses, names, sharedNames, people }, isMember, rows, running }: Found,
): ErasureReport => ({
  addresses,
  names: names.map(({ first_name, last_name }) => `${first_name} ${last_name}`),
  shared_names: sharedNames,
  records: people.filter(({ isTrashed }) => !isTrashed).length,
  trashed_records: people.filter(({ isTrashed }) => isTrashed).length,
  is_member: isMember,
  rows,
  running_imports: running,
  backups_end_at: backups === undefined ? null : timestampFromMicros(endOfBackups(backups, now())),
})

interface EndedErasure {
  readonly stored: StoredErasure
  readonly report: ErasureReport
  readonly addressHash: string
  readonly isComplete: boolean
}

/** Audits the erasure and deletes its terms, also those of erasures before it that were interrupted. */
async function endErasure(
  { db, now, workspaceId, auditActor }: ErasureOptions & { readonly auditActor: AuditActor },
  { stored, report, addressHash, isComplete }: EndedErasure,
): Promise<void> {
  await db.sql.begin(async (tx) => {
    await deleteErasures(tx, stored, report.addresses)
    await audit(tx, {
      ...auditActor,
      workspaceId,
      action: 'person.erased',
      subject: { type: 'person', id: null },
      details: {
        address_hash: addressHash,
        records: report.records + report.trashed_records,
        rows: report.rows.reduce((sum, { rows }) => sum + rows, 0),
        is_complete: isComplete,
      },
      now: now(),
    })
  })
}

/** HMAC-SHA-256 of the address with the secret of the workspace, so that readers of the audit log cannot try addresses. */
export async function hashOfAddress(
  { control, secrets }: Database,
  workspaceId: string,
  address: string,
): Promise<string> {
  const row = await control
    .selectFrom('relata.workspaces')
    .select('secret')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  const secret = secrets.decrypt({ table: 'workspaces', key: [workspaceId] }, row.secret)
  return createHmac('sha256', secret).update(address).digest('hex')
}

// Records of the person.

async function deletePeople(context: RequestContext, { people }: PersonTerms): Promise<void> {
  const object = findPeopleObject(context.model)?.object
  if (object === undefined) return
  for (const { id } of people) await eraseRecord(context, object.id, id)
}

// Uploaded import files, which are stored in pieces until the import ends.

interface ImportFile {
  readonly id: string
  readonly isRunning: boolean
}

/** Also finds a text that begins in one piece and ends in the next. */
async function findImportFiles(tx: Transaction, workspaceId: string, { likes }: TextPattern): Promise<ImportFile[]> {
  const rows = await controlQueriesIn(tx)
    .selectFrom((query) =>
      query
        .selectFrom('relata.import_pieces')
        .select([
          'import_id',
          sql<string>`lower(encode(bytes || coalesce(substring(
            lead(bytes) over (partition by import_id order by number) from 1 for 600), ''::bytea), 'escape'))`.as(
            'text',
          ),
        ])
        .where('workspace_id', '=', workspaceId)
        .as('p'),
    )
    .innerJoin('relata.imports as i', (join) => join.onRef('i.id', '=', 'p.import_id'))
    .select(['i.id', 'i.state'])
    .distinct()
    .where('i.workspace_id', '=', workspaceId)
    .where('p.text', 'like', anyOf(likes, 'text'))
    .execute()
  return rows.map(({ id, state }) => ({ id, isRunning: state === 'waiting' || state === 'running' }))
}

/** Deletes the imports that do not run. Returns how many do. */
async function deleteImportFiles(db: Database, workspaceId: string, pattern: TextPattern): Promise<number> {
  return inLongTransaction(db, async (tx) => {
    const files = await findImportFiles(tx, workspaceId, pattern)
    const deleted = files.filter(({ isRunning }) => !isRunning).map(({ id }) => id)
    await controlQueriesIn(tx)
      .deleteFrom('relata.imports')
      .where(equal({ workspace_id: workspaceId, id: anyOf(deleted) }))
      .where('state', 'not in', ['waiting', 'running'])
      .execute()
    return files.length - deleted.length
  })
}

// Erases a suspended member: the row stays, because it has written records, and has neither name nor address.

/** The member who has one of the addresses. */
const findMemberToErase = (model: DataModel, addresses: readonly string[]): Member | undefined =>
  addresses.map((address) => model.membersByEmail.get(address)).find((member) => member !== undefined)

/** The address that the member signs in with, unless it is the member's own or that of another member. */
async function findAccountAddress({ control }: Database, model: DataModel, { id }: Member): Promise<string[]> {
  const rows = await control
    .selectFrom('relata.workspace_members as m')
    .innerJoin('relata.accounts as a', 'a.id', 'm.account_id')
    .select('a.email_address')
    .where(equal({ 'm.workspace_id': model.workspace.id, 'm.id': id }))
    .execute()
  return rows.map(({ email_address }) => email_address).filter((address) => !model.membersByEmail.has(address))
}

interface MemberErasure {
  readonly workspaceId: string
  readonly memberId: string
  readonly stored: StoredErasure
  readonly pattern: TextPattern
  readonly now: Micros
}

/** Also removes what the member connected and which records the member follows, and deletes the account, with its sessions and sign-in methods, unless it is a member of another workspace. */
async function eraseMember(db: Database, erasure: MemberErasure): Promise<void> {
  const { workspaceId, memberId, stored, now } = erasure
  await changeWorkspaceModel(db, workspaceId, async ({ tx, control, model }) => {
    const member = model.membersById.get(memberId)
    if (member === undefined || member.access_level !== 'suspended') return
    const { account_id } = await control
      .selectFrom('relata.workspace_members')
      .select('account_id')
      .where(equal({ workspace_id: workspaceId, id: member.id }))
      .executeTakeFirstOrThrow()
    await control
      .updateTable('relata.workspace_members')
      .set({
        first_name: ERASED_NAME.first_name,
        last_name: ERASED_NAME.last_name,
        email_address: `erased-${member.id}@erased.invalid`,
        account_id: null,
        avatar_url: null,
        external_id: null,
        updated_at: timestampFromMicros(now),
        user_deleted_at: timestampFromMicros(now),
      })
      .where(equal({ workspace_id: workspaceId, id: member.id }))
      .execute()
    await control
      .deleteFrom('relata.record_followers')
      .where(equal({ workspace_id: workspaceId, member_id: member.id }))
      .execute()
    await removeAccountsOf(tx, { workspaceId, memberId: member.id }, now)
    if (account_id === null) return
    await storeErasure(tx, stored)
    await allowAuditChange(tx, stored.id)
    await deleteAccountWithoutMembership(control, account_id, erasure)
  })
}

async function deleteAccountWithoutMembership(
  control: ModelChange['control'],
  id: string,
  { pattern: { expression } }: MemberErasure,
): Promise<void> {
  const other = await control
    .selectFrom('relata.workspace_members')
    .select('id')
    .where('account_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (other !== undefined) return
  await control
    .updateTable('relata.audit_log')
    .set({ subject_name: sql<string>`regexp_replace(subject_name, ${expression}, ${ERASED_NAME.full_name}, 'gi')` })
    .where('account_id', '=', id)
    .where('workspace_id', 'is', null)
    .where('subject_name', 'is not', null)
    .execute()
  await control.deleteFrom('relata.accounts').where('id', '=', id).execute()
}
