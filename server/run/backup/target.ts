/** Where backups are kept: a folder, or a bucket with a prefix (`s3://bucket/prefix`). */

import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { S3Client } from 'bun'
import { errorCodeOf } from '#base/logging/log-error'
import type { S3Settings } from '#crm/blobs/s3-storage'
import type { Config } from '#run/config/config'
import { CommandError } from '#run/cli/command'

/** Names have slashes, such as `backups/2026-11-23T10-00-00Z/key.json`. */
export interface BackupTarget {
  /** For people. */
  readonly place: string
  /** Stores chunks under a name, whole or not at all. Replaces what is stored there. */
  write(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void>
  /** Fails when nothing is stored under the name. */
  read(name: string): AsyncIterable<Uint8Array>
  /** Undefined when nothing is stored under the name. */
  find(name: string): Promise<Stored | undefined>
  /** The names that begin with a prefix, which ends with a slash. */
  list(prefix: string): AsyncIterable<string>
  /** Succeeds also when nothing is stored under the name. */
  remove(name: string): Promise<void>
  /** Removes what writes under a prefix that did not end have left, and empty folders. No write may run. A bucket has neither to remove. */
  removeRemains(prefix: string): Promise<void>
}

interface Stored {
  readonly size: number
  /** In milliseconds, by the clock of the target. */
  readonly writtenAt: number
}

/** Opens the target that a command or a setting names. */
export function openPlace(
  place: string,
  { filesAccessKeyId, filesSecretAccessKey, filesEndpoint, filesRegion }: Config,
) {
  if (place === '') throw new CommandError('Name a folder, or a bucket as s3://bucket/prefix.')
  if (filesAccessKeyId === undefined || filesSecretAccessKey === undefined) return openTarget(place, undefined)
  return openTarget(place, {
    endpoint: filesEndpoint,
    region: filesRegion,
    accessKeyId: filesAccessKeyId,
    secretAccessKey: filesSecretAccessKey,
  })
}

/** `place` is a folder or `s3://bucket/prefix`. The endpoint and the access key of a bucket are those of stored files. */
export function openTarget(place: string, s3: Omit<S3Settings, 'bucket'> | undefined): BackupTarget {
  const scheme = 's3://'
  if (!place.startsWith(scheme)) return explained(folderTarget(resolve(place)))
  const [bucket = '', ...folders] = place
    .slice(scheme.length)
    .split('/')
    .filter((part) => part !== '')
  if (s3 === undefined)
    throw new CommandError('A bucket needs RELATA_FILES_S3_ACCESS_KEY_ID and RELATA_FILES_S3_SECRET_ACCESS_KEY.')
  const prefix = folders.map((folder) => `${folder}/`).join('')
  return explained(bucketTarget(place, new S3Client({ ...s3, bucket, retry: 5 }), prefix))
}

/** The same target, whose errors of the file system or of S3 are sentences. An error of the chunks that are written stays as it is. */
function explained(target: BackupTarget): BackupTarget {
  const explain = (error: unknown): never => {
    const code = errorCodeOf(error)
    throw code === undefined ? error : new CommandError(`${target.place} cannot be used: ${code}.`, { cause: error })
  }
  async function* iterate<T>(items: AsyncIterable<T>) {
    try {
      yield* items
    } catch (error) {
      explain(error)
    }
  }
  return {
    ...target,
    async write(name, chunks) {
      let ofChunks: unknown
      async function* noted() {
        try {
          yield* chunks
        } catch (error) {
          ofChunks = error
          throw error
        }
      }
      await target.write(name, noted()).catch((error: unknown) => {
        if (error === ofChunks) throw error
        explain(error)
      })
    },
    find: (name) => target.find(name).catch(explain),
    list: (prefix) => iterate(target.list(prefix)),
    remove: (name) => target.remove(name).catch(explain),
    removeRemains: (prefix) => target.removeRemains(prefix).catch(explain),
  }
}

/** Files are readable by their owner alone. */
const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = { recursive: true, mode: 0o700 }

/** The name of a file that is not complete ends so. */
const PART = '.part'

function folderTarget(folder: string): BackupTarget {
  return {
    place: folder,
    async write(name, chunks) {
      const path = join(folder, name)
      await mkdir(dirname(path), PRIVATE_FOLDER)
      const part = `${path}.${crypto.randomUUID()}${PART}`
      try {
        const file = await open(part, 'wx', PRIVATE_FILE)
        try {
          for await (const chunk of chunks) await file.writeFile(chunk)
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(part, path)
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
    },
    read: (name) => Bun.file(join(folder, name)).stream(),
    async find(name) {
      try {
        const { size, mtimeMs } = await stat(join(folder, name))
        return { size, writtenAt: mtimeMs }
      } catch (error) {
        if (errorCodeOf(error) === 'ENOENT') return undefined
        throw error
      }
    },
    async *list(prefix) {
      const entries = await readdir(join(folder, prefix), { recursive: true, withFileTypes: true }).catch(noEntries)
      for (const entry of entries) {
        const name = join(entry.parentPath, entry.name).slice(folder.length + 1)
        if (entry.isFile() && !name.endsWith(PART)) yield name
      }
    },
    remove: (name) => rm(join(folder, name), { force: true }),
    async removeRemains(prefix) {
      const entries = await readdir(join(folder, prefix), { recursive: true, withFileTypes: true }).catch(noEntries)
      const paths = entries.map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
      for (const { entry, path } of paths) if (entry.isFile() && path.endsWith(PART)) await rm(path, { force: true })
      const folders = paths.filter(({ entry }) => entry.isDirectory()).map(({ path }) => path)
      // The folders in a folder go first. `readdir` returns entries in any order.
      for (const path of folders.toSorted().toReversed()) await rmdir(path).catch(refuseUnlessFull)
    },
  }
}

function refuseUnlessFull(error: unknown): void {
  if (!['ENOTEMPTY', 'EEXIST'].includes(errorCodeOf(error) ?? '')) throw error
}

function noEntries(error: unknown): [] {
  if (errorCodeOf(error) === 'ENOENT') return []
  throw error
}

/** A part is sent again after a failure, and an object appears when all its parts are there. */
function bucketTarget(place: string, client: S3Client, prefix: string): BackupTarget {
  return {
    place,
    async write(name, chunks) {
      const writer = client.file(prefix + name).writer({ retry: 5, partSize: 16 * 2 ** 20, queueSize: 2 })
      for await (const chunk of chunks) {
        writer.write(chunk)
        await writer.flush()
      }
      await writer.end()
    },
    read: (name) => client.file(prefix + name).stream(),
    async find(name) {
      try {
        const { size, lastModified } = await client.stat(prefix + name)
        return { size, writtenAt: lastModified.getTime() }
      } catch (error) {
        if (isAbsent(error)) return undefined
        throw error
      }
    },
    async *list(folder) {
      for (let startAfter: string | undefined; ;) {
        const page = await client.list({ prefix: prefix + folder, ...(startAfter !== undefined && { startAfter }) })
        const names = (page.contents ?? []).map(({ key }) => key)
        for (const name of names) yield name.slice(prefix.length)
        startAfter = names.at(-1)
        if (page.isTruncated !== true || startAfter === undefined) return
      }
    },
    async remove(name) {
      try {
        await client.delete(prefix + name)
      } catch (error) {
        if (!isAbsent(error)) throw error
      }
    },
    removeRemains: async () => {},
  }
}

/** Services name a missing object in different ways. */
const isAbsent = (error: unknown): boolean => ['NoSuchKey', 'NotFound', 'ENOENT'].includes(errorCodeOf(error) ?? '')
