import type { WriteTry } from '#engine/entities/write/retry-on-conflict'

/**
 * Reads what a write is to do. A single request assumes that records exist until its statement finds one missing, so every other
 * reason to refuse it comes first. A retry for several of them therefore reads under the same assumption before it looks.
 */
export async function readInOrder<T>(writeTry: WriteTry, read: (writeTry: WriteTry) => Promise<T>): Promise<T> {
  if (!writeTry.assumeExists) await read({ ...writeTry, assumeExists: true })
  return read(writeTry)
}
