/** The folder and the bucket behave alike. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type S3Server, startS3Server } from '#testing/s3-server'
import type { ByteStorage } from './byte-storage'
import { createFolderStorage } from './folder-storage'
import { createS3Storage } from './s3-storage'
import type { BlobKey } from './byte-storage'
import { writeTemporaryFile } from './temporary-file'

let folder: string
let s3: S3Server
const storages: Record<string, ByteStorage> = {}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-bytes-'))
  s3 = await startS3Server()
  storages.folder = createFolderStorage(join(folder, 'blobs'))
  storages.bucket = createS3Storage(s3.settings)
})
afterAll(async () => {
  await s3.close()
  await rm(folder, { recursive: true })
})

const WORKSPACE = '11111111-1111-4111-8111-111111111111'
const LARGE = 12_000_000

describe.each(['folder', 'bucket'])('the %s', (name) => {
  /** The storage exists when a test runs. */
  const storage = () => storages[name] as ByteStorage

  async function publish(content: Uint8Array): Promise<BlobKey> {
    const file = await writeTemporaryFile(
      { folder: join(folder, 'temporary'), process: 'test' },
      chunksOf(content),
      LARGE,
    )
    const key = { workspaceId: WORKSPACE, digest: file.digest }
    await storage().publish(key, file.path)
    await file.remove()
    return key
  }
  const read = async (key: BlobKey, start: number, end: number) =>
    Bun.readableStreamToBytes(storage().read(key, { start, end }))

  test('returns what was stored, whole and in ranges', async () => {
    const content = Buffer.from('Analytical Engine')
    const key = await publish(content)
    expect(Buffer.from(await read(key, 0, content.length)).toString()).toBe('Analytical Engine')
    expect(Buffer.from(await read(key, 11, 14)).toString()).toBe('Eng')
    expect(Buffer.from(await read(key, 16, 17)).toString()).toBe('e')
    expect(await storage().findSize(key)).toBe(content.length)
  })

  test('stores no bytes, and many', async () => {
    const empty = await publish(new Uint8Array())
    expect([await storage().findSize(empty), (await read(empty, 0, 0)).length]).toEqual([0, 0])
    const content = Buffer.alloc(LARGE, 'abcdefghijk')
    const key = await publish(content)
    expect(await storage().findSize(key)).toBe(LARGE)
    const middle = await read(key, 5_000_000, 11_000_000)
    expect(content.subarray(5_000_000, 11_000_000).equals(middle)).toBe(true)
  })

  test('stores the same bytes twice, removes them once and again', async () => {
    const key = await publish(Buffer.from('twice'))
    expect(await publish(Buffer.from('twice'))).toEqual(key)
    await storage().remove(key)
    expect(await storage().findSize(key)).toBeUndefined()
    await storage().remove(key)
    await expect(read(key, 0, 5)).rejects.toThrow()
  })

  test('lists the keys of all blobs', async () => {
    for await (const key of storage().list()) await storage().remove(key)
    const keys = await Promise.all(['1', '2', '3'].map((text) => publish(Buffer.from(text))))
    const hex = (found: readonly BlobKey[]) => found.map(({ digest }) => digest.toString('hex')).toSorted()
    expect(hex(await Array.fromAsync(storage().list()))).toEqual(hex(keys))
  })
})

test('a bucket gets validly signed requests only, and refuses another secret and another access key', async () => {
  expect(s3.refused).toEqual([])
  const file = await writeTemporaryFile(
    { folder: join(folder, 'temporary'), process: 'test' },
    chunksOf(Buffer.from('x')),
    1,
  )
  const key = { workspaceId: WORKSPACE, digest: file.digest }
  for (const wrong of [{ secretAccessKey: 'S3RVEN' }, { accessKeyId: 'OTHER' }]) {
    const storage = createS3Storage({ ...s3.settings, ...wrong })
    await expect(storage.publish(key, file.path)).rejects.toThrow()
    await expect(storage.findSize(key)).rejects.toThrow()
    await expect(storage.remove(key)).rejects.toThrow()
    await expect(Bun.readableStreamToBytes(storage.read(key, { start: 0, end: 1 }))).rejects.toThrow()
    await expect(Array.fromAsync(storage.list())).rejects.toThrow()
  }
  expect(await storages.bucket?.findSize(key)).toBeUndefined()
  const reasons = s3.refused.map((refusal) => refusal.replace(/^\w+ /, ''))
  expect([...new Set(reasons)]).toEqual(['The signature does not match.', 'The access key does not exist.'])
})

test('a folder that does not exist has no blobs', async () => {
  expect(await Array.fromAsync(createFolderStorage(join(folder, 'none')).list())).toEqual([])
})

async function* chunksOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536)
}
