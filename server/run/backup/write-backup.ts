/** Writes a backup of the whole service while it runs, as of one snapshot of the database. See docs/running.md (Backup). */

import type { Readable } from 'node:stream'
import { type DatabaseDefinition, listTables, readDefinitions, readSequences } from '#db/backup/definitions'
import type { Database, Transaction } from '#db/connect'
import { allowLongTransaction } from '#db/run-in-transaction'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { Progress } from '#run/cli/transfer/progress'
import { CommandError } from '#run/cli/command'
import { COMMAND, VERSION } from '#db/program'
import {
  BACKUPS,
  contentsName,
  type Contents,
  type Counted,
  fileName,
  FILES,
  FORMAT_VERSION,
  type Repository,
  tableStep,
  textChunks,
  writePart,
} from './format'
import { encrypt } from './cipher'
import { type RepositoryLock, withLock } from './locks'
import { NameSet } from './name-set'

export interface BackupOptions {
  readonly db: Database
  /** Undefined leaves out the files, also from the list of files. */
  readonly blobs: BlobStore | undefined
  readonly repository: Repository
  readonly progress: Progress
  /** Ends the backup early. */
  readonly signal?: AbortSignal
}

export interface WrittenBackup {
  readonly name: string
  readonly contents: Contents
  /** The stored files whose bytes no earlier backup had. */
  readonly newFiles: number
}

/**
 * Throws `CommandError` when bytes of a stored file are lost or old backups are being removed, and the reason of `signal`. A backup that
 * did not end has no contents, so no command lists it. The next one has the files that it copied.
 */
export const writeBackup = (options: BackupOptions): Promise<WrittenBackup> =>
  withLock(options.repository.target, 'shared', (lock) => writeParts(options, lock))

async function writeParts(options: BackupOptions, lock: RepositoryLock): Promise<WrittenBackup> {
  const { db, blobs, repository, progress, signal } = options
  const files = blobs && createFileCopy({ ...options, blobs }, await listStoredFiles(repository))
  progress.begin('Files')
  // Most files are copied before the snapshot, which keeps PostgreSQL from removing old rows while it lasts.
  await files?.copyAll(readFileRows(db))
  return inSnapshot(db, async (tx, tables) => {
    const [about] = await tx.unsafe<[{ taken_at: string; postgresql: number }]>(
      `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as taken_at,
        current_setting('server_version_num')::int as postgresql`,
    )
    const name = about.taken_at.replaceAll(':', '-')
    const folder = `${BACKUPS}${name}/`
    const bytes = (await files?.copyAll(filesInSnapshot(tx))) ?? 0
    const definition = await readDefinitions(tx)
    if (definition.tables.length !== tables.length) throw new Error('Tables changed although they are locked.')
    const parts: Record<string, Counted> = {}
    for (const [index, table] of definition.tables.entries()) {
      if (table.columns.length === 0) continue
      progress.begin(tableStep(definition, index))
      parts[table.name] = await writeTable(options, tx, table, `${folder}tables/${index + 1}`)
    }
    const listed = await writePart(
      repository,
      `${folder}files`,
      files === undefined ? textChunks('') : readFileLines(tx),
    )
    const contents: Contents = {
      format: 'relata backup',
      version: FORMAT_VERSION,
      service_version: VERSION,
      ...about,
      migrations: (await tx.unsafe<{ name: string }[]>('select name from relata.migrations order by name')).map(
        (row) => row.name,
      ),
      secret_keys: await readSecretKeys(tx),
      definition,
      sequences: await readSequences(tx),
      tables: parts,
      files: { ...listed, bytes },
    }
    signal?.throwIfAborted()
    await writeContents(repository, name, contents, lock)
    progress.done()
    return { name, contents, newFiles: files?.copied ?? 0 }
  })
}

/** A database of an earlier version has no keys. */
async function readSecretKeys(tx: Transaction): Promise<{ id: string; check_value: string }[]> {
  const [found] = await tx.unsafe<[{ exists: boolean }]>(
    "select to_regclass('relata.secret_keys') is not null as exists",
  )
  return found.exists ? tx.unsafe('select id, check_value from relata.secret_keys order by id') : []
}

/** When the lock was lost meanwhile, another process may have removed files that the backup names. */
async function writeContents(
  repository: Repository,
  name: string,
  contents: Contents,
  lock: RepositoryLock,
): Promise<void> {
  await lock.confirm()
  await writePart(repository, contentsName(name), textChunks(JSON.stringify(contents)))
  try {
    await lock.confirm()
  } catch (error) {
    await repository.target.remove(contentsName(name))
    throw error
  }
}

/**
 * Runs in one snapshot. The tables are locked before it begins, because a table that changes afterwards could not be read. Until
 * the backup ends, changes of data models wait and then answer 503; reads and writes of rows go on.
 */
async function inSnapshot<T>(
  db: Database,
  run: (tx: Transaction, tables: readonly string[]) => Promise<T>,
): Promise<T> {
  for (;;) {
    const known = await db.sql.begin('read only', listTables)
    const done = await db.sql.begin('isolation level repeatable read, read only', async (tx) => {
      await allowLongTransaction(tx)
      for (const table of known) await tx.unsafe(`lock table only ${table} in access share mode`)
      await tx`set local search_path = ''`
      const tables = await listTables(tx)
      return tables.join() === known.join() ? { result: await run(tx, tables) } : undefined
    })
    if (done !== undefined) return (done as { result: T }).result // the driver's type for the callback's result is wider
  }
}

const writeTable = (
  options: BackupOptions,
  tx: Transaction,
  table: DatabaseDefinition['tables'][number],
  part: string,
): Promise<Counted> => readTable(options, tx, table, (rows) => writePart(options.repository, part, rows))

/** Hands on the rows of a table. When that fails before their end, it cancels the statement, because the driver takes no other one before. */
export async function readTable<T>(
  { db, progress, signal }: Pick<BackupOptions, 'db' | 'progress' | 'signal'>,
  tx: Transaction,
  { name, columns }: DatabaseDefinition['tables'][number],
  use: (rows: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const [{ pid }] = await tx.unsafe<[{ pid: number }]>('select pg_backend_pid() as pid')
  const rows = await tx.unsafe(`copy ${name} (${columns.join(', ')}) to stdout`).readable()
  const closed = new Promise((resolve) => rows.once('close', resolve))
  try {
    return await use(copiedRows(rows, progress, signal))
  } finally {
    if (!rows.readableEnded) {
      rows.removeAllListeners('data').on('error', () => {})
      rows.resume()
      await db.sql`select pg_cancel_backend(${pid}::int)`.catch(() => {}) // then the connection of the rows is lost as well
      await closed
    }
    // The driver pauses the connection while the buffer of rows is full, and their end does not resume it.
    // oxlint-disable-next-line no-underscore-dangle -- the method of streams that resumes it
    rows._read(0)
  }
}

const CHUNK_BYTES = 2 ** 16

/** Reads many rows at once, because the driver hands on each of them alone. */
async function* copiedRows(rows: Readable, progress: Progress, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  let held: Buffer[] = []
  let bytes = 0
  let next = Promise.withResolvers<void>()
  rows.on('data', (row: Buffer) => {
    held.push(row)
    bytes += row.length
    if (bytes < CHUNK_BYTES) return
    rows.pause()
    next.resolve()
  })
  rows.once('end', () => next.resolve())
  rows.once('error', (error) => next.reject(error))
  for (;;) {
    await next.promise
    signal?.throwIfAborted()
    if (bytes > 0) yield Buffer.concat(held, bytes)
    progress.add(bytes)
    held = []
    bytes = 0
    if (rows.readableEnded) return
    next = Promise.withResolvers<void>()
    rows.resume()
  }
}

interface FileRow {
  readonly workspace_id: string
  readonly digest: string
  readonly size: string
}

const BATCH_SIZE = 500

/** Bytes of a file without references may be removed while it is copied. Its row is kept, and deleted after the restore. */
const FILE_ROWS = `select workspace_id, encode(digest, 'hex') as digest, size from relata.blobs where references_count > 0`

/** Each batch has a snapshot of its own. */
async function* readFileRows({ sql }: Database): AsyncGenerator<FileRow[]> {
  let last = { workspace_id: '00000000-0000-0000-0000-000000000000', digest: '' }
  for (;;) {
    const batch = await sql.unsafe<FileRow[]>(
      `${FILE_ROWS} and (workspace_id, digest) > ($1::uuid, decode($2, 'hex')) order by relata.blobs.workspace_id, relata.blobs.digest limit ${BATCH_SIZE}`,
      [last.workspace_id, last.digest],
    )
    yield batch
    const end = batch.at(-1)
    if (end === undefined || batch.length < BATCH_SIZE) return
    last = end
  }
}

/** Those of one digest follow each other. */
const filesInSnapshot = (tx: Transaction): AsyncIterable<FileRow[]> =>
  tx.unsafe<FileRow[]>(`${FILE_ROWS} order by relata.blobs.digest, workspace_id`).cursor(BATCH_SIZE)

async function* readFileLines(tx: Transaction) {
  for await (const batch of filesInSnapshot(tx)) {
    const lines = batch.map(({ workspace_id, digest, size }) => `${workspace_id} ${digest} ${size}\n`)
    yield new TextEncoder().encode(lines.join(''))
  }
}

/** The files that earlier backups have copied. */
async function listStoredFiles({ target }: Repository): Promise<NameSet> {
  const stored = new NameSet()
  for await (const name of target.list(FILES)) stored.add(name)
  return stored
}

/** Copies the bytes of files, each digest once. Adds their names to `stored`. */
function createFileCopy(
  { blobs, repository, progress, signal }: BackupOptions & { readonly blobs: BlobStore },
  stored: NameSet,
) {
  const state = { copied: 0 }
  const copy = async ({ workspace_id, digest, size }: FileRow) => {
    const name = fileName(repository, digest)
    if (stored.has(name)) return
    const key = { workspaceId: workspace_id, digest: Buffer.from(digest, 'hex') }
    const hasher = new Bun.CryptoHasher('sha256')
    async function* bytes() {
      for await (const chunk of blobs.bytes.read(key, { start: 0, end: Number(size) })) {
        signal?.throwIfAborted()
        hasher.update(chunk)
        yield chunk
      }
      if (hasher.digest('hex') !== digest)
        throw new CommandError(`The bytes ${digest} are lost or damaged. See ${COMMAND} files check.`)
    }
    await repository.target.write(name, repository.key === undefined ? bytes() : encrypt(repository.key, bytes()))
    stored.add(name)
    state.copied++
  }
  return {
    get copied() {
      return state.copied
    },
    /** Returns the number of bytes of all files, without those that follow one of the same digest. */
    async copyAll(batches: AsyncIterable<FileRow[]>): Promise<number> {
      let total = 0
      let last = ''
      for await (const batch of batches) {
        for (const row of batch) {
          signal?.throwIfAborted()
          await copy(row)
          if (row.digest !== last) total += Number(row.size)
          last = row.digest
        }
        progress.add(batch.length)
      }
      return total
    },
  }
}
