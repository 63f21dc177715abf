/** Writes a file of lines, and computes its checksum on the way. */

import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileEntry } from '#run/cli/transfer/format'

/** Only the operator may read what a workspace contains. */
export const PRIVATE_FOLDER = { recursive: true, mode: 0o700 } as const
export const PRIVATE_FILE = 0o600

const BUFFERED_CHARACTERS = 256_000

/** Creates the file, which must not exist. It is on the disk when the function returns. */
export async function writeLines(
  folder: string,
  name: string,
  batches: AsyncIterable<readonly string[]>,
  onLines: (count: number) => void,
): Promise<FileEntry> {
  const path = join(folder, name)
  await mkdir(dirname(path), PRIVATE_FOLDER)
  const hasher = new Bun.CryptoHasher('sha256')
  const file = await open(path, 'wx', PRIVATE_FILE)
  let [lines, bytes, buffered] = [0, 0, '']
  const flush = async () => {
    const chunk = Buffer.from(buffered)
    buffered = ''
    hasher.update(chunk)
    bytes += chunk.length
    await file.writeFile(chunk)
  }
  try {
    for await (const batch of batches) {
      for (const line of batch) {
        buffered += `${line}\n`
        if (buffered.length > BUFFERED_CHARACTERS) await flush()
      }
      lines += batch.length
      onLines(batch.length)
    }
    await flush()
    await file.sync()
  } finally {
    await file.close()
  }
  return { name, lines, bytes, sha256: hasher.digest('hex') }
}
