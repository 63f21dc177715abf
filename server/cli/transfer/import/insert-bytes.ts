/** Stores the bytes of files. Their rows are inserted in the transaction of the import. */

import type { BlobStore } from '../../../blobs/blob-store'
import type { BlobKey } from '../../../blobs/store'
import { BYTES_FOLDER } from '../format'
import { DamagedExport } from './damaged-export'
import type { ImportSource } from './insert-batches'
import { readBlobs } from './open-export'
import { readChunks } from './open-file'

/** Stores all bytes, or none when one fails. `undo` removes them when the transaction fails later. */
export async function insertBytes(
  { folder, progress }: ImportSource,
  blobs: BlobStore,
  workspaceId: string,
): Promise<{ undo(): Promise<void> }> {
  const stored: BlobKey[] = []
  const undo = async () => {
    for (const key of stored) await blobs.bytes.remove(key)
  }
  progress.begin(BYTES_FOLDER)
  try {
    for await (const { digest, size } of readBlobs(folder)) {
      const key = { workspaceId, digest: Buffer.from(digest, 'hex') }
      await storeFile(blobs, key, readChunks(folder, `${BYTES_FOLDER}/${digest}`), size)
      stored.push(key)
      progress.add(1)
    }
  } catch (error) {
    await undo()
    throw error
  }
  return { undo }
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
    await blobs.bytes.publish(key, file.path)
  } finally {
    await file.remove()
  }
}
