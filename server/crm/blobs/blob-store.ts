/**
 * Stores bytes by their digest, outside of the database. See docs/decisions/files.md.
 *
 * 1. `receive` writes bytes to a temporary file. No row and no connection of the database is in use meanwhile.
 * 2. `save` commits a row without references, then stores the bytes.
 * 3. The caller inserts a row that refers to the blob, in its own transaction. A trigger counts the reference.
 * 4. When the last reference has ended and the grace period is over, `deleteUnreferenced` deletes the bytes and the row.
 *
 * After a crash between two steps, the worker deletes the temporary file or the blob without references.
 */
import { opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf, logError } from '#base/logging/log-error'
import { periodicWorker } from '#base/timing/run-periodically'
import { type Database, findDisconnected, runOnLookupPool, type Sql } from '#db/connect'
import type { BlobKey, ByteRange, ByteStorage } from './byte-storage'
import { deleteExpired, findBlob, insertBlob, listExpired, type StoredBlob } from './store'
import { type TemporaryFile, type TemporaryFiles, writeTemporaryFile } from './temporary-file'

export interface BlobStore {
  /**
   * Writes bytes to a temporary file, which the caller saves or removes. Throws `TooManyBytes` as soon as more than `limit`
   * bytes have arrived, and the error of the source when it fails; no file is left in both cases.
   */
  receive(source: AsyncIterable<Uint8Array>, limit: number): Promise<TemporaryFile>
  /** Makes the file a blob of the workspace and removes it. The caller must refer to the blob within the grace period. */
  save(workspaceId: string, file: TemporaryFile): Promise<BlobKey>
  /** Undefined for a blob that does not exist. */
  find(key: BlobKey): Promise<StoredBlob | undefined>
  /** The bytes of a range of a blob that exists. */
  read(key: BlobKey, range: ByteRange): ReadableStream<Uint8Array>
  readonly bytes: ByteStorage
  /** Removes the temporary files of processes that have ended. */
  removeDeadTemporaryFiles(): Promise<void>
}

interface BlobStoreOptions {
  readonly db: Database
  /** The name of this process. */
  readonly process: string
  /** Where temporary files are written. */
  readonly temporaryFolder: string
  readonly bytes: ByteStorage
}

/** The folders of the bytes and of temporary files within one folder, so that a file can be moved from one to the other. */
export const foldersIn = (folder: string) => ({ bytes: join(folder, 'blobs'), temporary: join(folder, 'temporary') })

export function createBlobStore({ db, process, temporaryFolder, bytes }: BlobStoreOptions): BlobStore {
  const temporaryFiles = { folder: temporaryFolder, process }
  const deadFiles = createDeadFileCheck(db.sql, temporaryFiles)
  return {
    receive: (source, limit) => writeTemporaryFile(temporaryFiles, source, limit),
    async save(workspaceId, file) {
      const key = { workspaceId, digest: file.digest }
      try {
        await insertBlob(db.sql, key, file.size)
        await bytes.publish(key, file.path)
        return key
      } finally {
        await file.remove()
      }
    },
    find: (key) => runOnLookupPool(db, (sql) => findBlob(sql, key)),
    read: (key, range) => bytes.read(key, range),
    bytes,
    removeDeadTemporaryFiles: () => deadFiles.remove(Date.now()),
  }
}

// Removes the temporary files of processes that ended without removing them. The name of a file begins with that of its process,
// whose connections show that it runs (`db/connect.ts`), also on another machine that shares the folder.
// See docs/decisions/files.md.

/** A process that writes a file writes to it more often. */
const MIN_AGE_MS = 60_000

interface DeadFileCheck {
  /** Removes the old files of processes that had no connection now and at the call before. */
  remove(nowMs: number): Promise<void>
}

function createDeadFileCheck(sql: Sql, { folder, process }: TemporaryFiles): DeadFileCheck {
  let disconnected: ReadonlySet<string> = new Set()
  return {
    async remove(nowMs) {
      const names = (await namesIn(folder)).filter((name) => processOf(name) !== process)
      const before = disconnected
      disconnected = await findDisconnected(sql, [...new Set(names.map(processOf))])
      for (const name of names) {
        const isDead = disconnected.has(processOf(name)) && before.has(processOf(name))
        if (isDead && (await isOld(join(folder, name), nowMs))) await rm(join(folder, name), { force: true })
      }
    },
  }
}

const processOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf('.')))

async function isOld(path: string, nowMs: number): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }))
  return mtimeMs < nowMs - MIN_AGE_MS
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(await opendir(folder))).map(({ name }) => name)
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return []
    throw error
  }
}

const BATCH_SIZE = 100

/** Longer than an upload needs from the storing of its bytes to its commit. */
const GRACE_SECONDS = 3600

interface BlobContext {
  readonly db: Database
  readonly blobs: BlobStore
}

/**
 * Deletes blobs without references, and the temporary files of dead processes, in the background.
 * Several processes may run this: each skips the rows that another one has locked.
 */
export const blobDeletion = periodicWorker<BlobContext>({
  name: 'blobs',
  does: 'deletes blobs without references',
  everyMs: 600_000,
  work: (context, stopping) => deleteUnreferenced(context, GRACE_SECONDS, stopping),
})

export const temporaryFileDeletion = periodicWorker<Pick<BlobContext, 'blobs'>>({
  name: 'temporary files',
  does: 'removes the temporary files of dead processes',
  // A temporary file is removed after two runs.
  everyMs: 30_000,
  work: ({ blobs }) => blobs.removeDeadTemporaryFiles(),
})

/** Deletes the blobs that have had no reference for `graceSeconds`. A blob that cannot be deleted holds up no other. */
export async function deleteUnreferenced(
  { db, blobs }: BlobContext,
  graceSeconds: number,
  stopping?: AbortSignal,
): Promise<void> {
  for (;;) {
    const expired = await listExpired(db.sql, graceSeconds, BATCH_SIZE)
    let deleted = 0
    for (const key of expired) {
      if (stopping?.aborted) return
      try {
        if (await deleteExpired(db.sql, key, graceSeconds, () => blobs.bytes.remove(key))) deleted++
      } catch (error) {
        logError('A blob could not be deleted yet.', error, { workspace_id: key.workspaceId })
      }
    }
    // A further batch would begin with the blobs that were not deleted.
    if (deleted < BATCH_SIZE) return
  }
}
