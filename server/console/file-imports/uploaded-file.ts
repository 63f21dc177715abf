/** Stores the body of a request in a temporary file without a name, so that a process that dies leaves no file. */

import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importTooLarge } from '../../errors/imports'

const READ_BYTES = 64 * 1024

export interface UploadedFile {
  /** Reads the file from its beginning, as often as it is called. */
  bytes(): AsyncGenerator<Uint8Array>
  /** Deletes the file. */
  close(): Promise<void>
}

/** Throws 413 as soon as the body is larger than the limit. */
export async function storeBody(body: ReadableStream<Uint8Array> | null, limit: number): Promise<UploadedFile> {
  const path = join(tmpdir(), `relata-import-${crypto.randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    await writeTo(file, body ?? [], limit)
  } catch (error) {
    await file.close()
    throw error
  }
  return { bytes: () => readFrom(file), close: () => file.close() }
}

async function writeTo(
  file: FileHandle,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
): Promise<void> {
  let size = 0
  for await (const chunk of body) {
    if (size + chunk.length > limit) throw importTooLarge(limit)
    for (let written = 0; written < chunk.length;) {
      const { bytesWritten } = await file.write(chunk, written, chunk.length - written, size + written)
      written += bytesWritten
    }
    size += chunk.length
  }
}

/** Each chunk has memory of its own, because a reader of lines keeps parts of it. */
async function* readFrom(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
