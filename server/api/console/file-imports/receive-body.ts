/** Stores the body of a request in a temporary file, so that a slow client holds neither memory nor a connection of the database. */

import type { BlobStore } from '#crm/blobs/blob-store'
import { type TemporaryFile, TooManyBytes } from '#crm/blobs/temporary-file'
import { uploadTimedOut } from '#base/errors/files'
import { importTooLarge } from '#base/errors/imports'
import { ReadTimeout, readWithin } from '#base/timing/read-within'

const LIMITS = { idleMs: 30_000, totalMs: 3_600_000 }

/** Throws 408 at a time limit, and 413 as soon as the body is larger than `limit`. No file is left in both cases. */
export async function receiveBody({ body }: Request, blobs: BlobStore, limit: number): Promise<TemporaryFile> {
  try {
    return await blobs.receive(body === null ? noBytes() : readWithin(body, LIMITS), limit)
  } catch (error) {
    if (error instanceof TooManyBytes) throw importTooLarge(limit)
    throw error instanceof ReadTimeout ? uploadTimedOut() : error
  }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
