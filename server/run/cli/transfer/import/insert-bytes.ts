/** Stores the bytes of files. Their rows are inserted in the transaction of the import. */

import type { Database } from '#db/connect'
import type { BlobStore } from '#crm/blobs/blob-store'
import { type BlobKey, findBlob } from '#crm/blobs/store'
import { BYTES_FOLDER } from '#run/cli/transfer/format'
import { CommandError } from '#run/cli/command'
import { DamagedExport, messageOf } from './damaged-export'
import type { ImportSource } from './insert-batches'
import { readBlobs } from './open-export'
import { readChunks } from './open-file'

/** Adds the key of everything that it may have stored to `stored`, also when it throws. */
export async function insertBytes(
  { folder, progress }: ImportSource,
  blobs: BlobStore,
  workspaceId: string,
  stored: BlobKey[],
): Promise<void> {
  progress.begin(BYTES_FOLDER)
  for await (const { digest, size } of readBlobs(folder)) {
    const key = { workspaceId, digest: Buffer.from(digest, 'hex') }
    // Before: an error may come after the bytes were stored.
    stored.push(key)
    await storeFile(blobs, key, readChunks(folder, `${BYTES_FOLDER}/${digest}`), size)
    progress.add(1)
  }
}

/**
 * Removes the bytes of a transaction that failed. Bytes with a row stay: a commit may succeed although the connection broke before
 * its answer.
 */
export async function removeBytes({ sql }: Database, { bytes }: BlobStore, stored: readonly BlobKey[]): Promise<void> {
  for (const key of stored) {
    const isUsed = (await findBlob(sql, key)) !== undefined
    // The error of the import is the one to show. `bun relata files check --repair` removes what is left.
    if (!isUsed) await bytes.remove(key).catch(() => {})
  }
}

async function storeFile(
  blobs: BlobStore,
  key: BlobKey,
  chunks: AsyncIterable<Uint8Array>,
  size: number,
): Promise<void> {
  const file = await blobs.receive(chunks, size)
  try {
    if (!file.digest.equals(key.digest)) {
      throw new DamagedExport(`${BYTES_FOLDER}/${key.digest.toString('hex')}`, 'the content changed during the import.')
    }
    await blobs.bytes.publish(key, file.path).catch((error: unknown) => {
      throw new CommandError(`The bytes ${key.digest.toString('hex')} could not be stored: ${messageOf(error)}`)
    })
  } finally {
    await file.remove()
  }
}
