/** Reads an uploaded picture, which is the body of its request. */

import { pictureTooLarge, unknownPictureType } from '#base/errors/access'
import { uploadTimedOut } from '#base/errors/meetings'
import { ReadTimeout, readWithin } from '#base/timing/wait'
import type { AppContext } from '#context'
import { type TemporaryFile, TooManyBytes } from '#crm/blobs/temporary-file'

/** The page makes a small picture before it sends it. */
const MAX_BYTES = 1_000_000
const LIMITS = { idleMs: 10_000, totalMs: 60_000 }

/** Throws 400 without a body, 408 and 413. */
export async function receivePicture({ blobs }: AppContext, { body }: Request): Promise<TemporaryFile> {
  if (body === null) throw unknownPictureType()
  try {
    return await blobs.receive(readWithin(body, LIMITS), MAX_BYTES)
  } catch (error) {
    if (error instanceof TooManyBytes) throw pictureTooLarge(MAX_BYTES)
    throw error instanceof ReadTimeout ? uploadTimedOut() : error
  }
}
