/**
 * Replaces the address and the name of a person in the texts of all tables of a workspace, in records and entries that stay too, or
 * deletes the rows. See docs/decisions/erasure.md.
 */
import { sql as expression } from 'kysely'
import { isUndefinedTable } from '#base/errors/database'
import { newId } from '#base/ids'
import type { RequestContext } from '#context'
import type { Database, Transaction } from '#db/connect'
import { allowLongTransaction } from '#db/run-in-transaction'
import type { Scalar, Stored } from '#engine/attribute-types/define'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import { controlQueriesIn, equal, jsonb } from '#engine/data-model/kysely-in-transaction'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import type { Assignment } from '#engine/entities/write/parse-values'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { writeEntity } from '#engine/entities/write/update-entity'
import { lockPublishers } from '#engine/outbox/outbox'
import { wordsOf } from '#engine/search/words'
import type { StoredEntity } from '#engine/storage/read-entities'
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
import { notifyOfChangedDeliveries } from '#events/webhooks/queue/notify-of-changes'
import { eraseRecord } from './erase-records'
import { textReplacer } from './person-terms'
import { allowAuditChange, type StoredErasure, storeErasure } from './stored-erasures'

/** Limits of the server that are made for requests do not end the statements of the work. */
export async function inLongTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const done = await db.sql.begin(async (tx) => {
    await allowLongTransaction(tx)
    return { value: await work(tx) }
  })
  return (done as { value: T }).value // the driver's type for the callback's result is wider
}

interface TextSearch {
  readonly db: Database
  readonly workspaceId: string
  readonly model: DataModel
  readonly pattern: TextPattern
}

interface TextErasure extends TextSearch {
  readonly stored: StoredErasure
  readonly context: () => RequestContext
}

/** The rows of a table that name the person. */
export interface TextCount {
  /** The slug of an object, an activity or a list, or the name of the table. */
  readonly table: string
  readonly rows: number
}

/** The rows of these tables are deleted: they are about the person alone, or a text in them is a key. */
const DELETED = new Set([
  'excluded_addresses',
  'history',
  'import_updates',
  'invitations',
  'sent_emails',
  'test_requests',
  'unsubscribed_emails',
])

/**
 * `email_addresses` and `email_domains` follow the participants of emails, `uniques` the records, and members are not erased by their
 * texts, nor are the accounts that they connected. The terms are needed until the end.
 */
const NOT_SEARCHED = new Set([
  'connected_accounts',
  'email_addresses',
  'email_domains',
  'erasures',
  'uniques',
  'workspace_members',
])

/** Their texts are unique, so each row gets another one. */
const UNIQUE_TEXTS = new Set(['objects', 'options', 'saved_queries', 'teams'])

/** Processes have their rows in memory as parts of the data model. */
const MODEL_TABLES = new Set(['activities', 'attributes', 'lists', 'objects', 'options', 'views', 'entity_types'])

/** What stays of the name of a person. */
export const ERASED_NAME = { first_name: 'Erased', last_name: 'person', full_name: 'Erased person' }

const ERASED_TEXT = ERASED_NAME.full_name

/** Counts the rows of each table, without the records of the person and tables that have none. */
export async function countTexts(search: TextSearch, personIds: ReadonlySet<string>): Promise<TextCount[]> {
  const { db, model } = search
  const counts = new Map<string, number>()
  for (const table of await listTextTables(db.sql, model)) {
    if (NOT_SEARCHED.has(table.name)) continue
    const rows = await noneIfDropped(inLongTransaction(db, (tx) => countRows(tx, search, { table, personIds })))
    if (rows > 0) counts.set(labelOf(model, table), rows)
  }
  return countsOf(counts)
}

/** A table that was dropped after the tables were listed, such as that of a deleted list, has no rows. */
async function noneIfDropped(rows: Promise<number>): Promise<number> {
  try {
    return await rows
  } catch (error) {
    if (isUndefinedTable(error)) return 0
    throw error
  }
}

const countsOf = (counts: ReadonlyMap<string, number>): TextCount[] =>
  [...counts].map(([table, rows]) => ({ table, rows })).toSorted((one, other) => (one.table < other.table ? -1 : 1))

async function countRows(
  tx: Transaction,
  { model, pattern, workspaceId }: TextSearch,
  { table, personIds }: { readonly table: TextTable; readonly personIds: ReadonlySet<string> },
): Promise<number> {
  const peopleTable = findPeopleObject(model)?.object.table.replaceAll('"', '')
  if (table.name !== 'trash' && table.table.replaceAll('"', '') !== peopleTable)
    return countTextRows(tx, table, pattern, workspaceId)
  const ids = await readTextRows(tx, table, pattern, { workspaceId, column: 'id' })
  return ids.filter((id) => !personIds.has(id)).length
}

/** Returns the number of rows that were replaced or deleted in each table that had some. */
export async function eraseTexts(erasure: TextErasure): Promise<TextCount[]> {
  const { db, model, workspaceId } = erasure
  const counts = new Map<string, number>()
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
    if (entityType !== undefined) count(table, await noneIfDropped(eraseInEntities(erasure, table, entityType.id)))
  }
  const others = tables.filter(({ table }) => !entityTables.has(table.replaceAll('"', '')))
  // A publisher that has read an outbox ends before its events are searched, and the next one reads what was replaced.
  await inLongTransaction(db, async (tx) => {
    await lockPublishers(tx, workspaceId)
    for (const table of others.filter(({ name }) => name === 'outbox'))
      count(table, await eraseInTable(tx, erasure, table))
  })
  for (const table of others) {
    if (table.name === 'trash') count(table, await deleteFromTrash(erasure, table))
    if (table.name === 'outbox' || table.name === 'trash') continue
    count(table, await noneIfDropped(inLongTransaction(db, (tx) => eraseInTable(tx, erasure, table))))
  }
  const labels = new Set(tables.filter(({ name }) => MODEL_TABLES.has(name)).map((table) => labelOf(model, table)))
  if ([...counts.keys()].some((label) => labels.has(label))) await changeWorkspaceModel(db, workspaceId, async () => {})
  return countsOf(counts)
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
  for (const [id, object] of found) await eraseRecord(context(), object.id, id)
  return found.size
}

async function eraseInTable(
  tx: Transaction,
  { stored, pattern, workspaceId }: TextErasure,
  table: TextTable,
): Promise<number> {
  if (DELETED.has(table.name)) return deleteTextRows(tx, table, pattern, workspaceId)
  const replacement = UNIQUE_TEXTS.has(table.name) ? `${ERASED_TEXT} ${newId().slice(-8)}` : ERASED_TEXT
  const columnOfId = { call_recording_transcripts: 'call_recording_id', deliveries: 'webhook_id' }[table.name]
  const ids =
    columnOfId === undefined ? [] : await readTextRows(tx, table, pattern, { workspaceId, column: columnOfId })
  if (table.name === 'audit_log') {
    await storeErasure(tx, stored)
    await allowAuditChange(tx, stored.id)
  }
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
      .where(equal({ workspace_id: workspaceId, call_recording_id: id }))
      .executeTakeFirstOrThrow()
    const present = new Set(wordsOf(raw_transcript))
    // The lexeme of the workspace begins with a colon.
    const left = words.filter((word) => word.startsWith(':') || present.has(word))
    await control
      .updateTable('relata.call_recording_transcripts')
      .set({ lexemes: expression<string>`array_to_tsvector(${arrayOfTexts(left)})` })
      .where(equal({ workspace_id: workspaceId, call_recording_id: id }))
      .execute()
  }
}

/** The slug of an object or a list, or the name of the table. */
function labelOf({ entityTypes }: DataModel, { table, name }: TextTable): string {
  const entityType = entityTypes.find((each) => each.table.replaceAll('"', '') === table.replaceAll('"', ''))
  return entityType === undefined ? name.replace(/^"|"$/g, '') : `${entityType.kind} ${entityType.api_slug}`
}

/** An array of PostgreSQL as a parameter of a statement. */
const arrayOfTexts = (texts: readonly string[]) => expression`array(select jsonb_array_elements_text(${jsonb(texts)}))`

/** Replaces a text. Returns it unchanged when it is not of the person. */
type ReplaceText = (text: string) => string

/** Writes the entity as any other write does, so with change events, unique keys and a new version. */
const replaceInEntity = (
  context: RequestContext,
  entityTypeId: string,
  id: string,
  replace: ReplaceText,
): Promise<unknown> =>
  retryOnConflict(context, async (current) => {
    const entityType = current.model.entityTypesById.get(entityTypeId)
    if (entityType === undefined) return undefined
    return writeEntity({ context: current, entityType, id, locking: true }, async (_db, entity) => ({
      assignments: assignmentsOf(entityType, entity, replace),
      multiselectWriteOf: () => 'overwrite',
    }))
  })

function assignmentsOf(entityType: EntityType, entity: StoredEntity, replace: ReplaceText): Assignment[] {
  const stored = entityType.attributes.filter(({ stored_in }) => stored_in === 'columns')
  return stored.flatMap((attribute) => {
    const before = entity.valuesOf(attribute).map((value) => value.stored)
    const after = before.flatMap((value) => replacedValue(attribute, value, replace))
    const isChanged = after.length !== before.length || after.some((value, at) => value !== before[at])
    return isChanged ? [{ attribute, values: after }] : []
  })
}

/** A name becomes that of an erased person. A unique value and an email address are removed, because no other text can replace them. */
function replacedValue({ is_unique }: Attribute, value: Stored, replace: ReplaceText): Stored[] {
  const members = Object.entries(value).map(([member, scalar]) => [member, replacedScalar(scalar, replace)] as const)
  if (members.every(([member, scalar]) => scalar === value[member])) return [value]
  if (is_unique || 'email_address' in value) return []
  return ['full_name' in value ? { ...value, ...ERASED_NAME } : Object.fromEntries(members)]
}

const replacedScalar = (scalar: Scalar, replace: ReplaceText): Scalar =>
  typeof scalar === 'string' ? replace(scalar) : scalar
