/** Exports and imports of a workspace whose files are in a bucket with the API of S3. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SECRET_KEY_SETTING } from '#testing/database'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBlobStore } from '#crm/blobs/blob-store'
import { createS3Storage } from '#crm/blobs/s3-storage'
import type { BlobKey } from '#crm/blobs/byte-storage'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { startS3Server, type S3Server } from '#testing/s3-server'
import { testService, type TestService } from '#testing/service'
import { runCommandLine } from '#run/cli/run'

/** Larger than the parts in which the client sends an object. */
const CONTENTS = ['', 'some bytes', 'x'.repeat(12_000_000)]

let s3: S3Server
let service: TestService
let root: string
beforeAll(async () => {
  s3 = await startS3Server()
  root = mkdtempSync(join(tmpdir(), 'relata-transfer-s3-'))
  service = await testService({ upload: { file: 20_000_000, idleMs: 60_000, totalMs: 60_000 } }, (db) => ({
    blobs: createBlobStore({
      db,
      process: crypto.randomUUID(),
      temporaryFolder: join(root, 'temporary'),
      bytes: createS3Storage(s3.settings),
    }),
  }))
  const record = await listClient(service).record()
  for (const [index, content] of CONTENTS.entries())
    await fileClient(service).file(record, { content, name: `${index}.txt` })
})
afterAll(async () => {
  await service.close()
  await s3.close()
  rmSync(root, { recursive: true })
})

async function run(words: readonly string[], secret = s3.settings.secretAccessKey) {
  const lines: string[] = []
  const context = { print: (line: string) => lines.push(line), printError: (line: string) => lines.push(line) }
  const env = {
    ...SECRET_KEY_SETTING,
    DATABASE_URL: service.url,
    RELATA_FILES_DIR: join(root, 'command'),
    RELATA_FILES_S3_BUCKET: s3.settings.bucket,
    RELATA_FILES_S3_ENDPOINT: s3.settings.endpoint,
    RELATA_FILES_S3_ACCESS_KEY_ID: s3.settings.accessKeyId,
    RELATA_FILES_S3_SECRET_ACCESS_KEY: secret,
  }
  return { code: await runCommandLine(words, env, context), text: lines.join('\n') }
}

const storedKeys = () => Array.fromAsync(service.appContext.blobs.bytes.list())
const keysOf = async (workspaceId: string): Promise<BlobKey[]> =>
  (await storedKeys()).filter((key) => key.workspaceId === workspaceId)

test('the bytes come out of the bucket and go into it', async () => {
  const folder = join(root, 'good')
  expect(await run(['export', folder, '--workspace', 'workspace-1'])).toEqual({
    code: 0,
    text: expect.stringContaining('3 files'),
  })
  expect(await run(['import-workspace', folder, '--workspace', 'copy'])).toMatchObject({ code: 0 })
  const [copy] = await service.db.sql<{ id: string }[]>`select id from relata.workspaces where slug = 'copy'`
  const digests = CONTENTS.map((content) => new Bun.CryptoHasher('sha256').update(content).digest('hex'))
  const stored = await keysOf(copy?.id ?? '')
  expect(stored.map(({ digest }) => digest.toString('hex')).toSorted()).toEqual(digests.toSorted())
  for (const key of stored) {
    const size = (await service.appContext.blobs.bytes.findSize(key)) ?? -1
    const bytes = await Bun.readableStreamToBytes(service.appContext.blobs.bytes.read(key, { start: 0, end: size }))
    const digest = key.digest.toString('hex')
    expect([bytes.length, new Bun.CryptoHasher('sha256').update(bytes).digest('hex')]).toEqual([size, digest])
    expect(readFileSync(join(folder, 'files', digest)).length).toBe(size)
  }
  expect(s3.refused).toEqual([])
}, 180_000)

test('an import that may not write to the bucket leaves nothing', async () => {
  const before = await storedKeys()
  const refused = await run(['import-workspace', join(root, 'good'), '--workspace', 'refused'], 'wrong')
  expect(refused).toEqual({
    code: 1,
    text: expect.stringMatching(/^The bytes [0-9a-f]{64} could not be stored: The signature does not match/),
  })
  expect(await service.db.sql`select 1 from relata.workspaces where slug = 'refused'`).toHaveLength(0)
  expect(await storedKeys()).toEqual(before)
}, 180_000)

test('an export that may not read the bucket says so', async () => {
  const refused = await run(['export', join(root, 'refused'), '--workspace', 'workspace-1'], 'wrong')
  expect(refused).toEqual({ code: 1, text: expect.stringMatching(/^The bytes [0-9a-f]{64} could not be copied: /) })
}, 180_000)

test('an export whose bytes are missing in the bucket names them', async () => {
  const [key] = await keysOf(service.workspaceId)
  if (key === undefined) throw new Error('The bucket has no bytes.')
  await service.appContext.blobs.bytes.remove(key)
  const { code, text } = await run(['export', join(root, 'lost'), '--workspace', 'workspace-1'])
  expect([code, text]).toEqual([
    1,
    expect.stringContaining(`The bytes ${key.digest.toString('hex')} are lost or damaged.`),
  ])
}, 180_000)
