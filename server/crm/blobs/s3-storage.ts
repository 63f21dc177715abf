/** Stores blobs as objects of a bucket of S3, or of a service with the same API. */

import { S3Client } from 'bun'
import { errorCodeOf } from '#base/logging/log-error'
import { type ByteStorage, storageNameOf, parseName } from './byte-storage'
import type { BlobKey } from './byte-storage'

export interface S3Settings {
  readonly bucket: string
  /** Undefined for S3 itself. */
  readonly endpoint: string | undefined
  readonly region: string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** All names begin with this prefix, so that the bucket can contain other objects. */
const PREFIX = 'blobs/'

export function createS3Storage(settings: S3Settings): ByteStorage {
  const client = new S3Client({ ...settings })
  const objectName = (key: BlobKey) => PREFIX + storageNameOf(key)
  return {
    // A large file is sent in parts, of which a few are in memory at a time. An object appears whole or not at all.
    async publish(key, path) {
      await client.write(objectName(key), Bun.file(path), { type: 'application/octet-stream' })
    },
    // A request cannot name an empty range.
    read: (key, { start, end }) =>
      start === end ? new Blob().stream() : client.file(objectName(key)).slice(start, end).stream(),
    async findSize(key) {
      try {
        return (await client.stat(objectName(key))).size
      } catch (error) {
        if (isAbsent(error)) return undefined
        throw error
      }
    },
    async remove(key) {
      try {
        await client.delete(objectName(key))
      } catch (error) {
        if (!isAbsent(error)) throw error
      }
    },
    list: () => listObjects(client),
  }
}

async function* listObjects(client: S3Client): AsyncGenerator<BlobKey> {
  for (let startAfter: string | undefined; ;) {
    const page = await client.list({ prefix: PREFIX, ...(startAfter !== undefined && { startAfter }) })
    const names = (page.contents ?? []).map(({ key }) => key)
    for (const name of names) {
      const key = parseName(name.slice(PREFIX.length))
      if (key !== undefined) yield key
    }
    startAfter = names.at(-1)
    if (page.isTruncated !== true || startAfter === undefined) return
  }
}

/** Services name a missing object in different ways. */
const isAbsent = (error: unknown): boolean => ['NoSuchKey', 'NotFound', 'ENOENT'].includes(errorCodeOf(error) ?? '')
