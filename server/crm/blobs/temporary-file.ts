/** Writes bytes that arrive to a temporary file, and computes their digest on the way. Memory holds one chunk at a time. */

import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** As many bytes as tell the type of a file. */
const BEGINNING_BYTES = 4100

export interface TemporaryFile {
  readonly path: string
  readonly size: number
  /** The SHA-256 of the bytes. */
  readonly digest: Buffer
  readonly beginning: Uint8Array
  /** Succeeds also when the file was moved or removed. */
  remove(): Promise<void>
}

/** More bytes than the limit arrived. */
export class TooManyBytes extends Error {
  constructor(readonly limit: number) {
    super(`More than ${limit} bytes arrived.`)
  }
}

/** Where a process writes temporary files. */
export interface TemporaryFiles {
  readonly folder: string
  /** The name of the process, with which the names of its files begin. */
  readonly process: string
}

/** Removes the file and throws when the source fails, and as soon as more than `limit` bytes have arrived. */
export async function writeTemporaryFile(
  { folder, process }: TemporaryFiles,
  source: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<TemporaryFile> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${process}.${crypto.randomUUID()}`)
  const remove = () => rm(path, { force: true })
  try {
    return { path, ...(await writeFile(path, source, limit)), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function writeFile(
  path: string,
  source: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Pick<TemporaryFile, 'size' | 'digest' | 'beginning'>> {
  const hasher = new Bun.CryptoHasher('sha256')
  const beginning = Buffer.alloc(BEGINNING_BYTES)
  let size = 0
  const file = await open(path, 'wx')
  try {
    for await (const chunk of source) {
      if (size + chunk.length > limit) throw new TooManyBytes(limit)
      if (size < BEGINNING_BYTES) beginning.set(chunk.subarray(0, BEGINNING_BYTES - size), size)
      hasher.update(chunk)
      await writeAll(file, chunk)
      size += chunk.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { size, digest: hasher.digest(), beginning: beginning.subarray(0, size) }
}

/** One call may write less than all bytes. */
async function writeAll(file: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten
}
