/**
 * Writes a whole workspace to a folder: one file after the other, all of them as of one snapshot of the database, and the manifest
 * last. A folder without a manifest is an export that did not end. See docs/decisions/workspace-copies.md.
 */

import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { mkdir, open, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isCountryCode } from '#vocabulary/countries'
import type { Database, Transaction } from '#db/connect'
import { allowLongTransaction } from '#db/run-in-transaction'
import { COMMAND, VERSION } from '#db/program'
import type { BlobStore } from '#crm/blobs/blob-store'
import { wholeModel } from '#engine/data-model/access/member-model'
import { loadDataModel } from '#engine/data-model/load'
import type { DataModel } from '#engine/data-model/model'
import { errorCodeOf } from '#base/logging/log-error'
import { dumpedTable, lockTables } from '#engine/storage/dump/workspace-tables'
import { readDumpedEntities } from '#engine/storage/dump/read-dumped-entities'
import { type Clock, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import { CommandError, defineWorkspaceCommand } from '#run/cli/command'
import { DEFAULT_BATCH, exportStatement, type FileDefinition } from '#run/cli/transfer/files/define-file'
import { CONTENT_FILES } from '#run/cli/transfer/files/content-files'
import {
  BYTES_FOLDER,
  entityFileNameOf,
  type FileEntry,
  fileNameOf,
  FORMAT,
  FORMAT_VERSION,
  type Manifest,
  MANIFEST,
} from '#run/cli/transfer/format'
import { createProgress, elapsedSeconds, perSecond, type Progress } from '#run/cli/transfer/progress'
import type { BlobKey } from '#crm/blobs/byte-storage'
import { IS_EXPORTED_BLOB, MODEL_FILES } from '#run/cli/transfer/files/model-files'
import { messageOf } from '#run/cli/transfer/import/open-file'

interface ExportOptions {
  readonly db: Database
  readonly blobs: BlobStore
  readonly now: Clock
  readonly workspaceId: string
  /** Absent or empty. */
  readonly folder: string
  readonly progress: Progress
}

/** Throws `CommandError` when the folder cannot be written, also when its disk becomes full. */
export async function exportWorkspace(options: ExportOptions): Promise<Manifest> {
  const { folder } = options
  await makeFolder(folder)
  try {
    return await writeWorkspace(options)
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === undefined || !FILE_ERRORS.has(code)) throw error
    throw new CommandError(`The export did not end: the folder ${folder} cannot be written: ${code}. Delete it.`)
  }
}

const FILE_ERRORS = new Set([
  'EACCES',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EMFILE',
  'ENOENT',
  'ENOSPC',
  'ENOTDIR',
  'EPERM',
  'EROFS',
])

async function writeWorkspace(options: ExportOptions): Promise<Manifest> {
  const { db, folder, now, workspaceId } = options
  const exported_at = timestampFromMicros(now())
  const written = await inSnapshot(db, workspaceId, async (tx, model) => ({
    workspace: await readWorkspace(tx, model),
    files: await writeFiles(tx, model, options),
    blobs: await writeBytes(tx, workspaceId, options),
  }))
  const manifest: Manifest = {
    format: FORMAT,
    version: FORMAT_VERSION,
    service_version: VERSION,
    exported_at,
    ...written,
  }
  await writeManifest(folder, manifest)
  return manifest
}

/**
 * Runs in one snapshot of the database. The tables are locked before the snapshot begins, because a table that changes afterwards
 * could not be read. As long as the export runs, changes of the data model wait and then answer 503.
 */
async function inSnapshot<T>(
  db: Database,
  workspaceId: string,
  run: (tx: Transaction, model: DataModel) => Promise<T>,
): Promise<T> {
  for (;;) {
    const locked = await loadDataModel(db, workspaceId)
    const done = await db.sql.begin('isolation level repeatable read, read only', async (tx) => {
      await allowLongTransaction(tx)
      await lockTables(tx, locked)
      const model = wholeModel(await loadDataModel(tx, workspaceId))
      return model.version === locked.version ? { result: await run(tx, model) } : undefined
    })
    if (done !== undefined) return (done as { result: T }).result // the driver's type for the callback's result is wider
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, PRIVATE_FOLDER)
    if ((await readdir(folder)).length === 0) return
  } catch (error) {
    throw new CommandError(`The folder ${folder} cannot be written: ${errorCodeOf(error) ?? String(error)}.`)
  }
  throw new CommandError(`The folder ${folder} is not empty.`)
}

async function writeFiles(
  tx: Transaction,
  model: DataModel,
  { folder, progress }: ExportOptions,
): Promise<FileEntry[]> {
  const entries: FileEntry[] = []
  const write = async (name: string, lines: AsyncIterable<readonly string[]>) => {
    progress.begin(name)
    entries.push(await writeLines(folder, name, lines, progress.add))
  }
  const writeRows = (file: FileDefinition) => write(fileNameOf(file.name), readRows(tx, model, file))
  for (const file of Object.values(MODEL_FILES)) await writeRows(file)
  for (const entityType of model.entityTypes) {
    await write(entityFileNameOf(entityType), readDumpedEntities(tx, model, entityType))
  }
  for (const file of Object.values(CONTENT_FILES)) await writeRows(file)
  progress.begin('files')
  return entries
}

async function readWorkspace(tx: Transaction, { workspace }: DataModel): Promise<Manifest['workspace']> {
  const row = await controlQueriesIn(tx)
    .selectFrom('relata.workspaces')
    .select(['created_at', 'last_number'])
    .where('id', '=', workspace.id)
    .executeTakeFirstOrThrow()
  const { slug, name, logo_url, shows_updated_at, creates_contacts, member_permissions, default_country } = workspace
  return {
    slug,
    name,
    logo_url,
    shows_updated_at,
    creates_contacts,
    member_permissions: [...member_permissions],
    default_country: countryOrNull(default_country),
    created_at: timestampFromPostgres(row.created_at),
    last_number: row.last_number,
  }
}

/** The console stores only countries of the API. */
const countryOrNull = (code: string | null) => (code !== null && isCountryCode(code) ? code : null)

/** Renamed when it is complete, so that a manifest is whole or absent. */
async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const part = join(folder, `${MANIFEST}.part`)
  const file = await open(part, 'wx', PRIVATE_FILE)
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, join(folder, MANIFEST))
}

/** Reads the rows of a file with a cursor of the transaction, so that memory holds one batch. */
async function* readRows(tx: Transaction, model: DataModel, file: FileDefinition): AsyncGenerator<readonly string[]> {
  const statement = exportStatement(file, qualifiedTable(model, file))
  const parameters = file.isInWorkspaceSchema ? [] : [model.workspace.id]
  const rows = tx.unsafe<{ line: string }[]>(statement, parameters)
  for await (const batch of rows.cursor(file.batch ?? DEFAULT_BATCH)) yield batch.map(({ line }) => line)
}

/** The table of a file, qualified for SQL. */
function qualifiedTable(model: DataModel, { table, isInWorkspaceSchema }: FileDefinition): string {
  if (!isInWorkspaceSchema) return `relata.${table}`
  return dumpedTable(model, table === 'merges' ? 'merges' : 'history')
}

/** Copies the bytes of files to the folder `files`, each named by its digest. */
interface BlobRow {
  readonly digest: Buffer
  readonly size: string
}

const BATCH_SIZE = 200

/** Throws `CommandError` when bytes are lost or differ from their digest. */
async function writeBytes(
  tx: Transaction,
  workspaceId: string,
  { folder, blobs, progress }: { readonly folder: string; readonly blobs: BlobStore; readonly progress: Progress },
): Promise<{ count: number; bytes: number }> {
  await mkdir(join(folder, BYTES_FOLDER), PRIVATE_FOLDER)
  const statement = `select digest, size from relata.blobs t where workspace_id = $1 and ${IS_EXPORTED_BLOB} order by digest`
  const rows = tx.unsafe<BlobRow[]>(statement, [workspaceId])
  const total = { count: 0, bytes: 0 }
  for await (const batch of rows.cursor(BATCH_SIZE)) {
    for (const { digest, size } of batch) {
      await copyBytes(blobs, { workspaceId, digest }, Number(size), folder)
      total.count++
      total.bytes += Number(size)
    }
    progress.add(batch.length)
  }
  return total
}

async function copyBytes(blobs: BlobStore, key: BlobKey, size: number, folder: string): Promise<void> {
  const name = key.digest.toString('hex')
  const lost = new CommandError(`The bytes ${name} are lost or damaged. See ${COMMAND} files check.`)
  if ((await readOrFail(name, () => blobs.bytes.findSize(key))) !== size) throw lost
  const hasher = new Bun.CryptoHasher('sha256')
  const file = await open(join(folder, BYTES_FOLDER, name), 'wx', PRIVATE_FILE)
  try {
    await readOrFail(name, async () => {
      for await (const chunk of blobs.bytes.read(key, { start: 0, end: size })) {
        hasher.update(chunk)
        await file.writeFile(chunk)
      }
    })
    await file.sync()
  } finally {
    await file.close()
  }
  if (hasher.digest('hex') !== name) throw lost
}

async function readOrFail<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw new CommandError(`The bytes ${name} could not be copied: ${messageOf(error)}`)
  }
}

/** Writes a whole workspace to a folder. See docs/export-format.md. */
export const exportCommand = defineWorkspaceCommand({
  name: 'export',
  summary: 'Writes a whole workspace to a folder, with history and files. import-workspace reads it.',
  positionals: ['<folder>'],
  options: {},
  async run({ id, slug }, { positionals: [folder = ''] }, { db, blobs, now, print }) {
    if (folder === '') throw new CommandError('Name a folder.')
    const startedAt = performance.now()
    const progress = createProgress(process.stderr)
    const manifest = await exportWorkspace({ db, blobs, now, workspaceId: id, folder, progress })
    progress.done()
    const entities = manifest.files.filter(({ name }) => name.includes('/')).reduce((sum, { lines }) => sum + lines, 0)
    const lines = manifest.files.reduce((sum, file) => sum + file.lines, 0)
    print(
      `Exported the workspace ${slug}: ${entities} records and entries, ${lines} lines in all, ${manifest.blobs.count} files ` +
        `in ${elapsedSeconds(startedAt)} s (${perSecond(lines, startedAt)} lines/s).`,
    )
  },
})

// Writes a file of lines, and computes its checksum on the way.

/** Only the operator may read what a workspace contains. */
const PRIVATE_FOLDER = { recursive: true, mode: 0o700 } as const
const PRIVATE_FILE = 0o600

const BUFFERED_CHARACTERS = 256_000

/** Creates the file, which must not exist. It is on the disk when the function returns. */
async function writeLines(
  folder: string,
  name: string,
  batches: AsyncIterable<readonly string[]>,
  onLines: (count: number) => void,
): Promise<FileEntry> {
  const path = join(folder, name)
  await mkdir(dirname(path), PRIVATE_FOLDER)
  const hasher = new Bun.CryptoHasher('sha256')
  const file = await open(path, 'wx', PRIVATE_FILE)
  let [lines, bytes, buffered] = [0, 0, '']
  const flush = async () => {
    const chunk = Buffer.from(buffered)
    buffered = ''
    hasher.update(chunk)
    bytes += chunk.length
    await file.writeFile(chunk)
  }
  try {
    for await (const batch of batches) {
      for (const line of batch) {
        buffered += `${line}\n`
        if (buffered.length > BUFFERED_CHARACTERS) await flush()
      }
      lines += batch.length
      onLines(batch.length)
    }
    await flush()
    await file.sync()
  } finally {
    await file.close()
  }
  return { name, lines, bytes, sha256: hasher.digest('hex') }
}
