/**
 * Erases a person from a workspace: deletes the records for good, takes the addresses out of emails and meetings, and replaces addresses
 * and names in all other texts. Every step can be repeated, so an erasure that was interrupted is ended by the next one for the same
 * address. See docs/decisions/erasure.md.
 */

import { createHmac } from 'node:crypto'
import { sql as expression } from 'kysely'
import { anyOf, controlQueriesIn, jsonb } from '#engine/data-model/kysely-in-transaction'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { timestampFromMicros } from '#base/timing/clock'
import { newId } from '#base/ids'
import { personIsMember } from '#base/errors/personal-data'
import { type BackupSettings, endOfBackups } from '#access/installation/backup-schedule'
import type { RequestContext } from '#context'
import type { Database, Transaction } from '#db/connect'
import { allowLongTransaction } from '#db/run-in-transaction'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import { loadDataModel } from '#engine/data-model/load'
import { type DataModel, SYSTEM_ACTOR } from '#engine/data-model/model'
import { openBackgroundContext } from '#engine/entities/write/background-context'
import { purgeRecordEntity } from '#engine/entities/write/delete-entity'
import { lockWrites } from '#engine/entities/write/retry-on-conflict'
import { lockPublishers } from '#events/feed/publish'
import { notifyOfChangedDeliveries } from '#events/webhooks/queue/notify-of-changes'
import { wordsOf } from '#engine/search/words'
import { findObjectsOfTrashed, findPeopleObject } from '#engine/storage/texts/people'
import {
  countTextRows,
  deleteTextRows,
  listTextTables,
  readTextRows,
  replaceTexts,
  type TextPattern,
  type TextTable,
} from '#engine/storage/texts/text-tables'
import type { Clock } from '#base/timing/clock'
import { erasureWith, eraseAddresses } from './erase-records'
import { findPersonTerms, joinTerms, patternOf, type PersonTerms, textReplacer } from './person-terms'
import { ERASED_NAME, replaceInEntity } from './shared-entities'
import { allowAuditChange, eraseMember, findAccountAddress, findMemberToErase } from './erase-member'

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
  /** The rows of each table that name the person, without tables that have none. */
  readonly rows: readonly { readonly table: string; readonly rows: number }[]
  /** The imports that cannot be erased before they end. */
  readonly running_imports: number
  /** When scheduled backups that have the person are removed at the latest, while they succeed; null when none are scheduled. */
  readonly backups_end_at: string | null
}

/** Counts, and changes nothing. Throws 400 and 409 as `erasePerson` does. */
export async function previewErasure(options: ErasureOptions): Promise<ErasureReport> {
  const { db, workspaceId } = options
  const { model, terms, isMember } = await readTerms(options)
  const pattern = patternOf(terms)
  const rows: { table: string; rows: number }[] = []
  for (const table of await listTextTables(db.sql, model)) {
    if (NOT_SEARCHED.has(table.name)) continue
    const count = await inLongTransaction(db, (tx) => countRows(tx, options, { model, terms, table }))
    if (count > 0) rows.push({ table: labelOf(model, table), rows: count })
  }
  const imports = await inLongTransaction(db, (tx) => findImportFiles(tx, workspaceId, pattern))
  const running = imports.filter(({ isRunning }) => isRunning).length
  return reportOf(options, { terms, isMember, rows, running })
}

/** Without the records of the person, which are counted apart. */
async function countRows(
  tx: Transaction,
  { workspaceId }: ErasureOptions,
  { model, terms, table }: { readonly model: DataModel; readonly terms: PersonTerms; readonly table: TextTable },
): Promise<number> {
  const pattern = patternOf(terms)
  const peopleTable = findPeopleObject(model)?.object.table.replaceAll('"', '')
  if (table.name !== 'trash' && table.table.replaceAll('"', '') !== peopleTable)
    return countTextRows(tx, table, pattern, workspaceId)
  const own = new Set(terms.people.map(({ id }) => id))
  const ids = await readTextRows(tx, table, pattern, { workspaceId, column: 'id' })
  return ids.filter((id) => !own.has(id)).length
}

/**
 * Throws 400 for a text that is no email address, and 409 for the address of a member who is not suspended. Returns what was deleted
 * and replaced.
 */
export async function erasePerson(
  options: ErasureOptions & { readonly auditActor: AuditActor },
): Promise<ErasureReport> {
  const { db, now, workspaceId } = options
  const { model, terms, isMember } = await readTerms(options)
  const pattern = patternOf(terms)
  // Before anything is deleted, because it fails without the operator's key.
  const addressHash = await hashOfAddress(db, workspaceId, terms.addresses[0] ?? '')
  const id = await storeTerms(options, terms, pattern)
  const context = await openBackgroundContext(db, workspaceId, now, () => SYSTEM_ACTOR)
  const counts = new Map<string, number>()
  await deletePeople(context.context(), terms)
  await db.sql.begin(async (tx) => {
    await allowLongTransaction(tx)
    await lockWrites(tx, workspaceId)
    await eraseAddresses(tx, await loadDataModel(tx, workspaceId), terms.addresses, now)
  })
  if (isMember)
    await eraseMember(db, { workspaceId, address: terms.addresses[0] ?? '', erasureId: id, pattern, now: now() })
  const running = await deleteImportFiles(db, workspaceId, pattern)
  await eraseTexts({ ...options, id, model, pattern, context: () => context.context() }, counts)
  const rows = [...counts].map(([table, count]) => ({ table, rows: count }))
  const report = reportOf(options, { terms, isMember, rows, running })
  await endErasure(options, { id, report, addressHash, isComplete: running === 0 })
  return report
}

async function readTerms(options: ErasureOptions) {
  const { db, workspaceId, address } = options
  const model = await loadDataModel(db, workspaceId)
  const found = await inLongTransaction(db, (tx) => findPersonTerms(tx, model, address))
  const stored = await readStoredTerms(db, workspaceId, found.addresses)
  const joined = stored.reduce(joinTerms, found)
  const member = findMemberToErase(model, joined.addresses)
  if (member === undefined) return { model, terms: joined, isMember: false }
  if (member.access_level !== 'suspended') throw personIsMember()
  const accountAddress = await findAccountAddress(db, model, member)
  const addresses = [...new Set([...joined.addresses, ...accountAddress])]
  return { model, terms: { ...joined, addresses }, isMember: true }
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
  rows: rows.toSorted((one, other) => (one.table < other.table ? -1 : 1)),
  running_imports: running,
  backups_end_at: backups === undefined ? null : timestampFromMicros(endOfBackups(backups, now())),
})

/** Limits of the server that are made for requests do not end the statements of the work. */
export async function inLongTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const done = await db.sql.begin(async (tx) => {
    await allowLongTransaction(tx)
    return { value: await work(tx) }
  })
  return (done as { value: T }).value // the driver's type for the callback's result is wider
}

// The terms of erasures that have not ended.

async function readStoredTerms(
  db: Database,
  workspaceId: string,
  addresses: readonly string[],
): Promise<PersonTerms[]> {
  const rows = await db.control
    .selectFrom('relata.erasures')
    .select('terms')
    .where('workspace_id', '=', workspaceId)
    .where(expression<boolean>`jsonb_exists_any(terms->'addresses', ${anyTexts(addresses)})`)
    .execute()
  return rows.map(({ terms }) => JSON.parse(terms) as PersonTerms) // `storeTerms` wrote this form
}

const anyTexts = (texts: readonly string[]) => expression`array(select jsonb_array_elements_text(${jsonb(texts)}))`

async function storeTerms(
  { db, now, workspaceId }: ErasureOptions,
  terms: PersonTerms,
  { expression: found }: TextPattern,
): Promise<string> {
  const id = newId()
  await db.control
    .insertInto('relata.erasures')
    .values({
      workspace_id: workspaceId,
      id,
      terms: jsonb(terms),
      expression: found,
      begun_at: timestampFromMicros(now()),
    })
    .execute()
  return id
}

interface EndedErasure {
  readonly id: string
  readonly report: ErasureReport
  readonly addressHash: string
  readonly isComplete: boolean
}

/** Audits the erasure and deletes its terms, also those of erasures before it that were interrupted. */
async function endErasure(
  { db, now, workspaceId, auditActor }: ErasureOptions & { readonly auditActor: AuditActor },
  { id, report, addressHash, isComplete }: EndedErasure,
): Promise<void> {
  await db.sql.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    await control
      .deleteFrom('relata.erasures')
      .where('workspace_id', '=', workspaceId)
      .where(expression<boolean>`(id = ${id} or jsonb_exists_any(terms->'addresses', ${anyTexts(report.addresses)}))`)
      .execute()
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
  const prepareErasure = erasureWith({ now: context.now })
  for (const { id } of people) await purgeRecordEntity(context, object, id, { check: () => {}, prepareErasure })
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
          expression<string>`lower(encode(bytes || coalesce(substring(
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
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', anyOf(deleted))
      .where('state', 'not in', ['waiting', 'running'])
      .execute()
    return files.length - deleted.length
  })
}

// Texts.

interface TextErasure extends ErasureOptions {
  readonly id: string
  readonly model: DataModel
  readonly pattern: TextPattern
  readonly context: () => RequestContext
}

/** The rows of these tables are deleted: they are about the person alone, or a text in them is a key. */
const DELETED = new Set(['history', 'import_updates', 'invitations', 'test_requests', 'unsubscribed_emails'])

/**
 * `email_addresses` and `email_domains` follow the participants of emails, `uniques` the records, and members are not erased by their
 * texts. The terms are needed until the end.
 */
const NOT_SEARCHED = new Set(['email_addresses', 'email_domains', 'erasures', 'uniques', 'workspace_members'])

/** Their texts are unique, so each row gets another one. */
const UNIQUE_TEXTS = new Set(['objects', 'options', 'saved_queries', 'teams'])

/** Processes have their rows in memory as parts of the data model. */
const MODEL_TABLES = new Set(['attributes', 'lists', 'objects', 'options', 'views', 'entity_types'])

const ERASED_TEXT = ERASED_NAME.full_name

/** Adds the number of rows by table to `counts`. */
async function eraseTexts(erasure: TextErasure, counts: Map<string, number>): Promise<void> {
  const { db, model, workspaceId } = erasure
  const tables = (await listTextTables(db.sql, model)).filter(({ name }) => !NOT_SEARCHED.has(name))
  const count = (table: TextTable, rows: number) => {
    const label = labelOf(model, table)
    if (rows > 0) counts.set(label, (counts.get(label) ?? 0) + rows)
  }
  const entityTables = new Map(
    model.entityTypes.map((entityType) => [entityType.table.replaceAll('"', ''), entityType]),
  )
  for (const table of tables) {
    const entityType = entityTables.get(table.table.replaceAll('"', ''))
    if (entityType !== undefined) count(table, await eraseInEntities(erasure, table, entityType.id))
  }
  const others = tables.filter(({ table }) => !entityTables.has(table.replaceAll('"', '')))
  // A publisher that has read an outbox ends before its events are searched, and the next one reads what was replaced.
  await inLongTransaction(db, async (tx) => {
    await lockPublishers(tx)
    for (const table of others.filter(({ name }) => name === 'outbox'))
      count(table, await eraseInTable(tx, erasure, table))
  })
  for (const table of others) {
    if (table.name === 'trash') count(table, await deleteFromTrash(erasure, table))
    if (table.name === 'outbox' || table.name === 'trash') continue
    count(table, await inLongTransaction(db, (tx) => eraseInTable(tx, erasure, table)))
  }
  const labels = new Set(tables.filter(({ name }) => MODEL_TABLES.has(name)).map((table) => labelOf(model, table)))
  if ([...counts.keys()].some((label) => labels.has(label))) await changeWorkspaceModel(db, workspaceId, async () => {})
}

async function eraseInEntities(
  { db, pattern, workspaceId, context }: TextErasure,
  table: TextTable,
  entityTypeId: string,
) {
  const ids = await inLongTransaction(db, (tx) => readTextRows(tx, table, pattern, { workspaceId, column: 'id' }))
  const replace = textReplacer(pattern, ERASED_TEXT)
  for (const id of ids) await replaceInEntity(context(), entityTypeId, id, replace)
  return ids.length
}

/** Records that were deleted before are deleted for good: no write changes the values of a record in the trash. */
async function deleteFromTrash({ db, pattern, workspaceId, context }: TextErasure, table: TextTable): Promise<number> {
  const ids = await inLongTransaction(db, (tx) => readTextRows(tx, table, pattern, { workspaceId, column: 'id' }))
  const found = await findObjectsOfTrashed(db.sql, context().model, ids)
  const prepareErasure = erasureWith({ now: context().now })
  for (const [id, object] of found) await purgeRecordEntity(context(), object, id, { check: () => {}, prepareErasure })
  return found.size
}

async function eraseInTable(
  tx: Transaction,
  { id: erasureId, pattern, workspaceId }: TextErasure,
  table: TextTable,
): Promise<number> {
  if (DELETED.has(table.name)) return deleteTextRows(tx, table, pattern, workspaceId)
  const replacement = UNIQUE_TEXTS.has(table.name) ? `${ERASED_TEXT} ${newId().slice(-8)}` : ERASED_TEXT
  const columnOfId = { call_recording_transcripts: 'call_recording_id', deliveries: 'webhook_id' }[table.name]
  const ids =
    columnOfId === undefined ? [] : await readTextRows(tx, table, pattern, { workspaceId, column: columnOfId })
  if (table.name === 'audit_log') await allowAuditChange(tx, erasureId)
  const rows = await replaceTexts(tx, table, pattern, { workspaceId, replacement })
  if (table.name === 'call_recording_transcripts') await removeWords(tx, workspaceId, ids)
  // Processes have waiting deliveries in memory.
  if (table.name === 'deliveries') await notifyOfChangedDeliveries(tx, [...new Set(ids)])
  return rows
}

/** Removes the words from the search index that the transcripts no longer have. */
async function removeWords(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
  const control = controlQueriesIn(tx)
  for (const id of ids) {
    const { raw_transcript, words } = await control
      .selectFrom('relata.call_recording_transcripts')
      .select(['raw_transcript', expression<string[]>`tsvector_to_array(lexemes)`.as('words')])
      .where('workspace_id', '=', workspaceId)
      .where('call_recording_id', '=', id)
      .executeTakeFirstOrThrow()
    const present = new Set(wordsOf(raw_transcript))
    // The lexeme of the workspace begins with a colon.
    const left = words.filter((word) => word.startsWith(':') || present.has(word))
    await control
      .updateTable('relata.call_recording_transcripts')
      .set({ lexemes: expression<string>`array_to_tsvector(${anyTexts(left)})` })
      .where('workspace_id', '=', workspaceId)
      .where('call_recording_id', '=', id)
      .execute()
  }
}

/** The slug of an object or a list, or the name of the table. */
function labelOf({ entityTypes }: DataModel, { table, name }: TextTable): string {
  const entityType = entityTypes.find((each) => each.table.replaceAll('"', '') === table.replaceAll('"', ''))
  return entityType === undefined ? name.replace(/^"|"$/g, '') : `${entityType.kind} ${entityType.api_slug}`
}
