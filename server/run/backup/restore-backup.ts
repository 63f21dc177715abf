/** Reads a backup into an empty database, or checks it without writing. See docs/running.md (Backup). */

import { rm } from 'node:fs/promises'
import { listSchemas, type TableDefinition, readDefinitions, readSequences } from '#db/backup/definitions'
import type { Database, Transaction } from '#db/connect'
import { refuseMissingKeys } from '#db/encrypted-columns'
import type { SecretKeys } from '#db/secret-keys'
import { allowLongTransaction } from '#db/run-in-transaction'
import { readMigrations } from '#db/read-migrations'
import { RESTORING_SCHEMA } from '#db/check-server'
import type { BlobStore } from '#crm/blobs/blob-store'
import { CommandError } from '#run/cli/command'
import type { Progress } from '#run/cli/transfer/progress'
import { decrypt } from './cipher'
import {
  type Contents,
  DamagedBackup,
  fileName,
  readContents,
  readFileLines,
  readPart,
  type Repository,
  tableStep,
} from './format'
import { readTable } from './write-backup'

/** Reads all of a backup: every digest, every row's line, every file. Throws `DamagedBackup`. Returns what it holds. */
export async function checkBackup(repository: Repository, backup: string, progress: Progress): Promise<Contents> {
  const contents = await readContents(repository, backup)
  for (const [index, { name }] of contents.definition.tables.entries()) {
    const part = contents.tables[name]
    if (part === undefined) continue
    progress.begin(tableStep(contents.definition, index))
    for await (const chunk of readPart(repository, part)) progress.add(chunk.length)
  }
  progress.begin('Files')
  let last = ''
  for await (const { digest, size } of readFileLines(repository, contents)) {
    if (digest !== last) for await (const chunk of readBytes(repository, digest, size)) progress.add(chunk.length)
    last = digest
  }
  progress.done()
  return contents
}

export interface RestoreOptions {
  readonly db: Database
  /** Undefined leaves files as they are. */
  readonly blobs: BlobStore | undefined
  readonly repository: Repository
  readonly backup: string
  readonly progress: Progress
  /** Undefined when the keys of the backup's secrets are lost. */
  readonly secretKeys: SecretKeys | undefined
}

/**
 * Throws `CommandError` for a database that is not empty, for a backup of a newer version or PostgreSQL, and for a damaged one. A restore that did
 * not end leaves the schema `relata_restoring`, with which the service does not start; the next restore begins anew.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Contents> {
  const { db, blobs, repository, backup, progress, secretKeys } = options
  const contents = await readContents(repository, backup)
  refuseNewer(contents)
  if (secretKeys !== undefined) refuseMissingKeys(contents.secret_keys ?? [], secretKeys)
  await refuseOlderServer(db, contents)
  await db.sql.begin((tx) => beginRestore(tx))
  const { definition } = contents
  await run(db, [...definition.schemas.map((schema) => `create schema ${schema}`), ...definition.shared])
  for (const schema of definition.schemas) {
    await restoreSchema(
      db,
      repository,
      contents,
      definition.tables.filter((table) => table.schema === schema),
      progress,
    )
  }
  progress.begin('references')
  await run(db, definition.attachments)
  await run(db, definition.references)
  for (const { name, last_value, is_called } of contents.sequences) {
    await db.sql`select setval(${name}::text::regclass, ${last_value}::text::bigint, ${is_called})`
  }
  progress.begin('Files')
  if (blobs !== undefined) await restoreFiles(repository, contents, blobs, progress)
  for (const { name, columns } of definition.tables) if (columns.length > 0) await db.sql.unsafe(`analyze ${name}`)
  await db.sql.unsafe(`drop schema ${RESTORING_SCHEMA}`)
  progress.done()
  return contents
}

function refuseNewer({ migrations, service_version }: Contents): void {
  const known = new Set(readMigrations().map(({ name }) => name))
  const unknown = migrations.find((name) => !known.has(name))
  if (unknown === undefined) return
  throw new CommandError(
    `The backup was made by Relata ${service_version}, whose migration ${unknown} this version does not know; restore it with that version or a newer one.`,
  )
}

/** Definitions of a newer major version may not be understood by an older one. */
async function refuseOlderServer({ sql }: Database, { postgresql }: Contents): Promise<void> {
  const [{ version }] = await sql<[{ version: number }]>`select current_setting('server_version_num')::int as version`
  const [server, needed] = [version, postgresql].map((number) => Math.floor(number / 10_000))
  if (server === undefined || needed === undefined || server >= needed) return
  throw new CommandError(
    `The backup is of PostgreSQL ${needed}, and the database is PostgreSQL ${server}; restore it into ${needed} or newer.`,
  )
}

/** Refuses a database with data, and removes what a restore that did not end has left. */
async function beginRestore(tx: Transaction): Promise<void> {
  const schemas = await listSchemas(tx)
  if (schemas.length > 0 && !schemas.includes(RESTORING_SCHEMA)) {
    throw new CommandError('The database is not empty. Restore into a new database, or into a new data folder.')
  }
  await tx.unsafe('set local client_min_messages = error')
  for (const schema of schemas) await tx.unsafe(`drop schema if exists ${schema} cascade`)
  await tx.unsafe(`create schema ${RESTORING_SCHEMA}`)
}

/** Names of the statements are qualified, and functions may name tables that do not exist yet. */
async function prepare(tx: Transaction): Promise<void> {
  await allowLongTransaction(tx)
  await tx`set local search_path = ''`
  await tx`set local check_function_bodies = off`
}

async function run(db: Database, statements: readonly string[]): Promise<void> {
  await db.sql.begin(async (tx) => {
    await prepare(tx)
    for (const statement of statements) await tx.unsafe(statement)
  })
}

async function restoreSchema(
  db: Database,
  repository: Repository,
  contents: Contents,
  tables: readonly TableDefinition[],
  progress: Progress,
): Promise<void> {
  await db.sql.begin(async (tx) => {
    await prepare(tx)
    for (const { create } of tables) for (const statement of create) await tx.unsafe(statement)
    for (const table of tables) {
      const part = contents.tables[table.name]
      progress.begin(tableStep(contents.definition, contents.definition.tables.indexOf(table)))
      if (part !== undefined) await copyIn(tx, table, readPart(repository, part), progress)
    }
    for (const { complete } of tables) for (const statement of complete) await tx.unsafe(statement)
  })
}

async function copyIn(
  tx: Transaction,
  { name, columns }: TableDefinition,
  chunks: AsyncIterable<Uint8Array>,
  progress: Progress,
): Promise<void> {
  const rows = await tx.unsafe(`copy ${name} (${columns.join(', ')}) from stdin`).writable()
  const ended = Promise.withResolvers<void>()
  rows.on('error', ended.reject)
  rows.on('finish', ended.resolve)
  try {
    for await (const chunk of chunks) {
      progress.add(chunk.length)
      if (!rows.write(chunk)) await Promise.race([new Promise((resolve) => rows.once('drain', resolve)), ended.promise])
    }
  } catch (error) {
    rows.destroy(error instanceof Error ? error : new Error(String(error)))
    ended.promise.catch(() => {})
    throw error
  }
  rows.end()
  await ended.promise
}

/** Throws `DamagedBackup` when the bytes are lost or others. */
async function* readBytes(repository: Repository, digest: string, size: number): AsyncGenerator<Uint8Array> {
  const name = fileName(repository, digest)
  const hasher = new Bun.CryptoHasher('sha256')
  let length = 0
  try {
    const stored = repository.target.read(name)
    for await (const chunk of repository.key === undefined ? stored : decrypt(repository.key, stored)) {
      hasher.update(chunk)
      length += chunk.length
      yield chunk
    }
  } catch (error) {
    throw new DamagedBackup(name, error)
  }
  if (hasher.digest('hex') !== digest || length !== size) throw new DamagedBackup(name)
}

async function restoreFiles(
  repository: Repository,
  contents: Contents,
  blobs: BlobStore,
  progress: Progress,
): Promise<void> {
  for await (const { workspaceId, digest, size } of readFileLines(repository, contents)) {
    const key = { workspaceId, digest: Buffer.from(digest, 'hex') }
    if ((await blobs.bytes.findSize(key)) !== size) {
      const file = await blobs.receive(readBytes(repository, digest, size), size)
      try {
        await blobs.bytes.publish(key, file.path)
      } finally {
        await rm(file.path, { force: true })
      }
    }
    progress.add(1)
  }
}

// Compares a database with the backup that was restored into it, value by value.

interface Comparison {
  readonly db: Database
  readonly repository: Repository
  readonly contents: Contents
  readonly progress: Progress
}

/**
 * Throws `CommandError` for the first difference of tables, rows and sequences. The restore must just have ended, because rows are compared
 * in the order in which PostgreSQL stores them.
 */
export async function compareWithBackup(options: Comparison): Promise<void> {
  const { db, repository, contents, progress } = options
  await db.sql.begin('isolation level repeatable read, read only', async (tx) => {
    await allowLongTransaction(tx)
    await tx`set local search_path = ''`
    await tx`set local synchronize_seqscans = off`
    const { tables } = await readDefinitions(tx)
    const names = ({ name, columns }: (typeof tables)[number]) => `${name} (${columns.join(', ')})`
    requireEqual('tables', tables.map(names).toSorted(), contents.definition.tables.map(names).toSorted())
    for (const [index, table] of contents.definition.tables.entries()) {
      const part = contents.tables[table.name]
      if (part === undefined) continue
      progress.begin(tableStep(contents.definition, index))
      const restored = await readTable(options, tx, table, digestOf)
      requireEqual(`rows of ${table.name}`, restored, await digestOf(readPart(repository, part)))
    }
    requireEqual('sequences', byName(await readSequences(tx)), byName(contents.sequences))
  })
  progress.done()
}

const byName = (sequences: Contents['sequences']) =>
  Object.fromEntries(sequences.map(({ name, ...position }) => [name, position]))

async function digestOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of chunks) hasher.update(chunk)
  return hasher.digest('hex')
}

function requireEqual(subject: string, restored: unknown, stored: unknown): void {
  if (!Bun.deepEquals(restored, stored)) throw new CommandError(`The ${subject} are not those of the backup.`)
}
