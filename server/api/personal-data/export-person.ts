/**
 * Exports what the service knows of a person, as of one snapshot of the database: a file with a line of JSON for each row of a kind, the
 * bytes of stored files, and a README. Memory holds one batch of rows. See docs/privacy.md; docs/decisions/erasure.md.
 */

import { audit, type AuditActor } from '#access/audit-log/audit'
import { type Clock, timestampFromMicros } from '#base/timing/clock'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { Database, Transaction } from '#db/connect'
import { allowLongTransaction } from '#db/run-in-transaction'
import { anyOf, controlQueriesIn, equal, onEqual } from '#engine/data-model/kysely-in-transaction'
import { loadDataModel } from '#engine/data-model/load'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { findRows } from '#engine/storage/read-entities'
import {
  findEntryIds,
  findObjectsOfTrashed,
  findPeopleObject,
  readHistoryLines,
  readTrashedRows,
} from '#engine/storage/texts/people'
import { listTextTables, readTextRows, type TextPattern } from '#engine/storage/texts/text-tables'
import { hashOfAddress } from '#api/erasure/erase-person'
import { findPersonTerms, patternOf, type PersonTerms } from '#api/erasure/person-terms'
import { renderEntry } from '#api/resources/entries/resource'
import type { Row } from '#engine/storage/layout'
import { renderActivityRecord } from '#api/resources/activity-records/resource'
import { renderRecord } from '#api/resources/records/resource'
import { type PersonParameters, readSubject, SUBJECTS } from './subjects'

interface PersonExport {
  readonly db: Database
  readonly blobs: BlobStore
  readonly now: Clock
  readonly workspaceId: string
  readonly address: string
  /** The URL of the service in a browser, for links to records. */
  readonly appUrl: string
  readonly auditActor: AuditActor
  /** Whether the operator reads, who also gets what members keep to themselves. */
  readonly isOperator: boolean
}

/** Stores a file of the export. It reads all chunks before it resolves. */
export type AddFile = (name: string, chunks: AsyncIterable<Uint8Array>) => Promise<void>

export interface ExportedFile {
  readonly name: string
  /** The number of lines; 1 for the bytes of a file. */
  readonly lines: number
}

interface Exported {
  readonly terms: PersonTerms
  readonly addressHash: string
  readonly files: readonly ExportedFile[]
}

/** Throws 400 for a text that is no email address, before it adds a file. Returns the files besides the README, none of them empty. */
export async function exportPerson(options: PersonExport, add: AddFile): Promise<readonly ExportedFile[]> {
  const { db, now, workspaceId, auditActor } = options
  const done = await db.sql.begin('isolation level repeatable read, read only', async (tx) => {
    await allowLongTransaction(tx)
    const model = await loadDataModel(tx, workspaceId)
    const terms = await findPersonTerms(tx, model, options.address)
    // Before the first file, because it fails without the operator's key.
    const addressHash = await hashOfAddress(db, workspaceId, terms.addresses[0] ?? '')
    return { terms, addressHash, files: await writeFiles({ ...options, tx, model, terms }, add) }
  })
  const { terms, addressHash, files } = done as Exported // the driver's type for the callback's result is wider
  await add('README.txt', bytesOf([readme(terms, files, timestampFromMicros(now()))]))
  await audit(db.sql, {
    ...auditActor,
    workspaceId,
    action: 'person.exported',
    subject: { type: 'person', id: null },
    details: { address_hash: addressHash, files: files.length },
    now: now(),
  })
  return files
}

interface Reading extends PersonExport {
  readonly tx: Transaction
  readonly model: DataModel
  readonly terms: PersonTerms
}

const FILE_PREFIXES = { object: 'records', list: 'entries', activity: 'activity-records' } as const satisfies Record<
  EntityType['kind'],
  string
>

async function writeFiles(reading: Reading, add: AddFile): Promise<ExportedFile[]> {
  const { tx, model, terms } = reading
  const files: ExportedFile[] = []
  const addLines = async (name: string, batches: AsyncIterable<readonly string[]>) => {
    const lines = await addUnlessEmpty(`${name}.jsonl`, batches, add)
    if (lines > 0) files.push({ name: `${name}.jsonl`, lines })
  }
  const pattern = patternOf(terms)
  const ids = terms.people.map(({ id }) => id)
  const entities = await findEntities(reading, pattern)
  for (const [entityType, found] of entities)
    await addLines(`${FILE_PREFIXES[entityType.kind]}-${entityType.api_slug}`, readEntities(reading, entityType, found))
  await addLines('trash', readTrash(reading, pattern))
  await addLines('history', readHistoryLines(tx, model, [...ids, ...[...entities.values()].flat()]))
  const parameters = await parametersOf(reading, pattern)
  for (const subject of SUBJECTS) {
    if (subject.isPrivate && !reading.isOperator) continue
    await addLines(subject.name, readSubject(tx, subject, parameters))
  }
  await addBytes(reading, async (name, chunks) => {
    await add(name, chunks)
    files.push({ name, lines: 1 })
  })
  return files
}

/** Records of people and all other records and entries that name the person, by their ids. */
async function findEntities(reading: Reading, pattern: TextPattern): Promise<Map<EntityType, string[]>> {
  const { tx, model, terms, workspaceId } = reading
  const people = terms.people.filter(({ isTrashed }) => !isTrashed).map(({ id }) => id)
  const tables = new Map((await listTextTables(tx, model)).map((table) => [table.table, table]))
  const found = new Map<EntityType, string[]>()
  for (const entityType of model.entityTypes) {
    const table = tables.get(entityType.table.replace(/^"(.*)"\./, '$1.'))
    const named = table === undefined ? [] : await readTextRows(tx, table, pattern, { workspaceId, column: 'id' })
    const own =
      entityType.kind === 'list'
        ? await findEntryIds(tx, entityType, people)
        : entityType === findPeopleObject(model)?.object
          ? people
          : []
    const ids = [...new Set([...own, ...named])]
    if (ids.length > 0) found.set(entityType, ids)
  }
  return found
}

const PAGE = 100

async function* readEntities({ tx, model, appUrl }: Reading, entityType: EntityType, ids: readonly string[]) {
  for (let start = 0; start < ids.length; start += PAGE) {
    const rows = await findRows(tx, model, entityType, ids.slice(start, start + PAGE))
    yield rows.map((row) => renderEntity({ model, appUrl }, entityType, row))
  }
}

function renderEntity(context: Pick<Reading, 'model' | 'appUrl'>, entityType: EntityType, row: Row): string {
  switch (entityType.kind) {
    case 'object':
      return renderRecord(context, entityType, row)
    case 'list':
      return renderEntry(context, entityType, row)
    case 'activity':
      return renderActivityRecord(context, entityType, row)
  }
}

/** In the form of records that are not in the trash. */
async function* readTrash({ tx, model, terms, workspaceId, appUrl }: Reading, pattern: TextPattern) {
  const table = (await listTextTables(tx, model)).find(({ name, isControl }) => name === 'trash' && !isControl)
  const named = table === undefined ? [] : await readTextRows(tx, table, pattern, { workspaceId, column: 'id' })
  const people = terms.people.filter(({ isTrashed }) => isTrashed).map(({ id }) => id)
  const objects = await findObjectsOfTrashed(tx, model, [...new Set([...people, ...named])])
  for (const [object, entries] of Map.groupBy(objects, ([, each]) => each)) {
    const rows = await readTrashedRows(
      tx,
      model,
      object,
      entries.map(([id]) => id),
    )
    yield rows.map((row) => renderRecord({ model, appUrl }, object, row))
  }
}

async function parametersOf(reading: Reading, { expression, likes }: TextPattern): Promise<PersonParameters> {
  const { tx, model, terms, workspaceId } = reading
  const memberIds = terms.addresses.flatMap((address) => model.membersByEmail.get(address)?.id ?? [])
  const accounts = await controlQueriesIn(tx)
    .selectFrom('relata.workspace_members')
    .select(['id', 'account_id'])
    .where('workspace_id', '=', workspaceId)
    .where('account_id', 'is not', null)
    .execute()
  return {
    workspaceId,
    recordIds: terms.people.map(({ id }) => id),
    addresses: terms.addresses,
    expression,
    likes,
    memberIds,
    accountIds: accounts.flatMap(({ id, account_id }) =>
      memberIds.includes(id) && account_id !== null ? [account_id] : [],
    ),
  }
}

/** Adds a file when there is a first line. Returns the number of lines. */
async function addUnlessEmpty(name: string, batches: AsyncIterable<readonly string[]>, add: AddFile): Promise<number> {
  const iterator = batches[Symbol.asyncIterator]()
  try {
    let next = await iterator.next()
    while (next.done !== true && next.value.length === 0) next = await iterator.next()
    if (next.done === true) return 0
    let lines = 0
    await add(
      name,
      (async function* () {
        for (; next.done !== true; next = await iterator.next()) {
          lines += next.value.length
          if (next.value.length > 0) yield Buffer.from(`${next.value.join('\n')}\n`)
        }
      })(),
    )
    return lines
  } finally {
    await iterator.return?.()
  }
}

async function* bytesOf(texts: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

/** The files of the records of the person, and the recordings of the meetings. A file whose bytes are lost ends the export. */
async function addBytes({ tx, blobs, workspaceId, terms }: Reading, add: AddFile): Promise<void> {
  const control = controlQueriesIn(tx)
  const ids = terms.people.map(({ id }) => id)
  const files = await control
    .selectFrom('relata.files as f')
    .innerJoin('relata.blobs as b', onEqual({ 'b.workspace_id': 'f.workspace_id', 'b.digest': 'f.blob_digest' }))
    .select(['f.id', 'f.name', 'b.digest', 'b.size'])
    .where(equal({ 'f.workspace_id': workspaceId, 'f.record_id': anyOf(ids) }))
    .orderBy('f.id')
    .execute()
  const recordings = await control
    .selectFrom('relata.call_recordings as c')
    .innerJoin('relata.blobs as b', onEqual({ 'b.workspace_id': 'c.workspace_id', 'b.digest': 'c.blob_digest' }))
    .select(['c.id', 'b.digest', 'b.size'])
    .where('c.workspace_id', '=', workspaceId)
    .where('c.meeting_id', 'in', (query) =>
      query
        .selectFrom('relata.meeting_participants')
        .select('meeting_id')
        .where(equal({ workspace_id: workspaceId, email_address: anyOf(terms.addresses, 'text') })),
    )
    .orderBy('c.id')
    .execute()
  const pictures = await control
    .selectFrom('relata.record_pictures as p')
    .innerJoin('relata.blobs as b', onEqual({ 'b.workspace_id': 'p.workspace_id', 'b.digest': 'p.blob_digest' }))
    .select(['p.record_id as id', 'b.digest', 'b.size'])
    .where(equal({ 'p.workspace_id': workspaceId, 'p.record_id': anyOf(ids) }))
    .execute()
  const stored = [
    ...files,
    ...recordings.map((recording) => ({ ...recording, name: 'recording' })),
    ...pictures.map((picture) => ({ ...picture, name: 'picture.webp' })),
  ]
  for (const { id, name, digest, size } of stored)
    await add(`files/${id}-${safeName(name ?? '')}`, readBytes(blobs, { workspaceId, digest }, Number(size)))
}

async function* readBytes(blobs: BlobStore, key: { workspaceId: string; digest: Buffer }, size: number) {
  for await (const chunk of blobs.bytes.read(key, { start: 0, end: size })) yield chunk
}

/** A name that is one part of a path on every system. */
const safeName = (name: string): string => name.replaceAll(/[^\p{L}\p{N} ._()-]/gu, '_').slice(-80)

const readme = ({ addresses, names }: PersonTerms, files: readonly ExportedFile[], at: string): string =>
  `What this CRM stores of ${[...addresses, ...names.map((name) => `${name.first_name} ${name.last_name}`)].join(', ')}

Exported at ${at}. Each .jsonl file has a line of JSON for each row. The folder files has stored files as they are.
Texts of notes, comments, tasks and other rows are included when they contain an address or the whole name.

${files.map(({ name, lines }) => `${name}: ${lines}`).join('\n')}
`
