/** Writes a backup of the whole service while it runs, as of one snapshot of the database. See docs/running.md (Backup). */

import { type DatabaseDefinition, listTables, readDefinitions, readSequences } from '#db/backup/definitions'
import type { Database, Transaction } from '#db/connect'
import { allowLongTransaction } from '#db/run-in-transaction'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { Progress } from '#run/cli/transfer/progress'
import { CommandError } from '#run/cli/command'
import { version as serviceVersion } from '../../../package.json'
import {
  BACKUPS,
  contentsName,
  type Contents,
  type Counted,
  fileName,
  FORMAT_VERSION,
  type Repository,
  writePart,
} from './format'
import { encrypt } from './cipher'

export interface BackupOptions {
  readonly db: Database
  readonly blobs: BlobStore
  readonly repository: Repository
  readonly progress: Progress
}

export interface WrittenBackup {
  readonly name: string
  readonly contents: Contents
  /** The stored files whose bytes no earlier backup had. */
  readonly newFiles: number
}

/** Throws `CommandError` when bytes of a stored file are lost. A backup that did not end has no contents, so no command lists it. */
export async function writeBackup(options: BackupOptions): Promise<WrittenBackup> {
  const { db, repository, progress } = options
  const files = createFileCopy(options)
  // Most files are copied before the snapshot, which keeps PostgreSQL from removing old rows while it lasts.
  await db.sql.begin('read only', async (tx) => {
    await allowLongTransaction(tx)
    progress.begin('files')
    await files.copyAll(tx)
  })
  return inSnapshot(db, async (tx, tables) => {
    const [about] = await tx.unsafe<[{ taken_at: string; postgresql: number }]>(
      `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as taken_at,
        current_setting('server_version_num')::int as postgresql`,
    )
    const name = about.taken_at.replaceAll(':', '-')
    const folder = `${BACKUPS}${name}/`
    const bytes = await files.copyAll(tx)
    const definition = await readDefinitions(tx)
    if (definition.tables.length !== tables.length) throw new Error('Tables changed although they are locked.')
    const parts: Record<string, Counted> = {}
    for (const [index, table] of definition.tables.entries()) {
      if (table.columns.length === 0) continue
      progress.begin(table.name)
      parts[table.name] = await writePart(repository, `${folder}tables/${index + 1}`, copyOut(tx, table, progress))
    }
    const listed = await writePart(repository, `${folder}files`, readFileLines(tx))
    const contents: Contents = {
      format: 'relata backup',
      version: FORMAT_VERSION,
      service_version: serviceVersion,
      ...about,
      migrations: (await tx.unsafe<{ name: string }[]>('select name from relata.migrations order by name')).map(
        (row) => row.name,
      ),
      secret_keys: await tx.unsafe<{ id: string; check_value: string }[]>(
        'select id, check_value from relata.secret_keys order by id',
      ),
      definition,
      sequences: await readSequences(tx),
      tables: parts,
      files: { ...listed, bytes },
    }
    await writePart(repository, contentsName(name), once(JSON.stringify(contents)))
    progress.done()
    return { name, contents, newFiles: files.copied }
  })
}

async function* once(text: string) {
  yield new TextEncoder().encode(text)
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

async function* copyOut(tx: Transaction, { name, columns }: DatabaseDefinition['tables'][number], progress: Progress) {
  const rows = await tx.unsafe(`copy ${name} (${columns.join(', ')}) to stdout`).readable()
  for await (const chunk of rows as AsyncIterable<Buffer>) {
    progress.add(chunk.length)
    yield chunk
  }
}

interface FileRow {
  readonly workspace_id: string
  readonly digest: string
  readonly size: string
}

/** Bytes of a file without references may be removed while it is copied. Its row is kept, and deleted after the restore. */
const FILE_ROWS = `select workspace_id, encode(digest, 'hex') as digest, size from relata.blobs
  where references_count > 0 order by digest, workspace_id`

const BATCH_SIZE = 500

async function* readFileLines(tx: Transaction) {
  for await (const batch of tx.unsafe<FileRow[]>(FILE_ROWS).cursor(BATCH_SIZE)) {
    const lines = batch.map(({ workspace_id, digest, size }) => `${workspace_id} ${digest} ${size}\n`)
    yield new TextEncoder().encode(lines.join(''))
  }
}

/** Copies the bytes of files, each digest once. */
function createFileCopy({ blobs, repository, progress }: BackupOptions) {
  const state = { copied: 0 }
  const copy = async ({ workspace_id, digest, size }: FileRow) => {
    const name = fileName(repository, digest)
    if ((await repository.target.findSize(name)) !== undefined) return
    const key = { workspaceId: workspace_id, digest: Buffer.from(digest, 'hex') }
    const hasher = new Bun.CryptoHasher('sha256')
    async function* bytes() {
      for await (const chunk of blobs.bytes.read(key, { start: 0, end: Number(size) })) {
        hasher.update(chunk)
        yield chunk
      }
      if (hasher.digest('hex') !== digest)
        throw new CommandError(`The bytes ${digest} are lost or damaged. See bun relata files check.`)
    }
    await repository.target.write(name, repository.key === undefined ? bytes() : encrypt(repository.key, bytes()))
    state.copied++
  }
  return {
    get copied() {
      return state.copied
    },
    /** Returns the number of bytes of all files. */
    async copyAll(tx: Transaction): Promise<number> {
      let total = 0
      let last = ''
      for await (const batch of tx.unsafe<FileRow[]>(FILE_ROWS).cursor(BATCH_SIZE)) {
        for (const row of batch) {
          if (row.digest !== last) {
            await copy(row)
            total += Number(row.size)
          }
          last = row.digest
        }
        progress.add(batch.length)
      }
      return total
    },
  }
}
