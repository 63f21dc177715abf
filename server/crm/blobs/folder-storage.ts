/** Stores blobs as files of a folder. */

import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { errorCodeOf } from '#base/logging/log-error'
import { type ByteStorage, storageNameOf, parseName } from './byte-storage'
import type { BlobKey } from './byte-storage'

/** Temporary files must be on the same file system as `folder`, because `publish` moves them. */
export function createFolderStorage(folder: string): ByteStorage {
  const pathOf = (key: BlobKey) => join(folder, storageNameOf(key))
  return {
    async publish(key, path) {
      const target = pathOf(key)
      await mkdir(dirname(target), { recursive: true })
      await rename(path, target)
      await syncFolder(dirname(target))
    },
    read: (key, { start, end }) => Bun.file(pathOf(key)).slice(start, end).stream(),
    async findSize(key) {
      try {
        return (await stat(pathOf(key))).size
      } catch (error) {
        if (isAbsent(error)) return undefined
        throw error
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    list: () => listFiles(folder),
  }
}

/** Makes a rename durable. A crash of the machine could otherwise undo it. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function* listFiles(folder: string): AsyncGenerator<BlobKey> {
  try {
    for await (const entry of await opendir(folder, { recursive: true })) {
      const key = parseName(relative(folder, join(entry.parentPath, entry.name)))
      if (entry.isFile() && key !== undefined) yield key
    }
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
}

const isAbsent = (error: unknown): boolean => errorCodeOf(error) === 'ENOENT'
