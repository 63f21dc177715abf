/** Copies the bytes of files to the folder `files`, each named by its digest. */

import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transaction } from '#db/connect'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { BlobKey } from '#crm/blobs/store'
import { CommandError } from '#run/cli/command'
import { IS_EXPORTED_BLOB } from '#run/cli/transfer/files/member-files'
import { BYTES_FOLDER } from '#run/cli/transfer/format'
import { messageOf } from '#run/cli/transfer/import/damaged-export'
import type { Progress } from '#run/cli/transfer/progress'
import { PRIVATE_FILE, PRIVATE_FOLDER } from './write-lines'

interface BlobRow {
  readonly digest: Buffer
  readonly size: string
}

const BATCH_SIZE = 200

/** Throws `CommandError` when bytes are lost or differ from their digest. */
export async function writeBytes(
  tx: Transaction,
  workspaceId: string,
  { folder, blobs, progress }: { readonly folder: string; readonly blobs: BlobStore; readonly progress: Progress },
): Promise<{ count: number; bytes: number }> {
  await mkdir(join(folder, BYTES_FOLDER), PRIVATE_FOLDER)
  const statement = `select digest, size from relata.blobs t where workspace_id = $1 and ${IS_EXPORTED_BLOB} order by digest`
  const rows = tx.unsafe<BlobRow[]>(statement, [workspaceId])
  const total = { count: 0, bytes: 0 }
  for await (const batch of rows.cursor(BATCH_SIZE)) {
    for (const { digest, size } of batch) {
      await copyBytes(blobs, { workspaceId, digest }, Number(size), folder)
      total.count++
      total.bytes += Number(size)
    }
    progress.add(batch.length)
  }
  return total
}

async function copyBytes(blobs: BlobStore, key: BlobKey, size: number, folder: string): Promise<void> {
  const name = key.digest.toString('hex')
  const lost = new CommandError(`The bytes ${name} are lost or damaged. See bun relata files check.`)
  if ((await readOrFail(name, () => blobs.bytes.findSize(key))) !== size) throw lost
  const hasher = new Bun.CryptoHasher('sha256')
  const file = await open(join(folder, BYTES_FOLDER, name), 'wx', PRIVATE_FILE)
  try {
    await readOrFail(name, async () => {
      for await (const chunk of blobs.bytes.read(key, { start: 0, end: size })) {
        hasher.update(chunk)
        await file.writeFile(chunk)
      }
    })
    await file.sync()
  } finally {
    await file.close()
  }
  if (hasher.digest('hex') !== name) throw lost
}

async function readOrFail<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw new CommandError(`The bytes ${name} could not be copied: ${messageOf(error)}`)
  }
}
