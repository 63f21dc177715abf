/** A service that is killed while it stores or deletes a file loses none, and leaves none for ever. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '../../db/embedded/find-free-port'
import { fileClient, type FileClient } from '../testing/files'
import { listClient } from '../testing/lists'
import { testService, type TestService } from '../testing/service'
import { deleteUnreferenced } from './delete-unreferenced'
import { captureLog } from '../testing/captured-log'

let service: TestService
let files: FileClient
let record: string
beforeAll(async () => {
  service = await testService()
  files = fileClient(service)
  record = await listClient(service).record()
})
afterAll(() => service.close())

const temporaries = () => readdir(join(service.filesFolder, 'temporary'))
const countBlobs = async () => (await service.db.sql`select 1 from relata.blobs`).length

/** Starts a process of the service on the same database and folder. */
async function startProcess() {
  const port = await findFreePort(0)
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '../main.ts')], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATABASE_URL: service.url,
      RELATA_FILES_DIR: service.filesFolder,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const chunk of child.stdout) if (Buffer.from(chunk).includes('listens on')) break
  return { child, url: `http://127.0.0.1:${port}` }
}

test('a process that is killed during an upload leaves a temporary file, which the worker removes after a day', async () => {
  const { child, url } = await startProcess()
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from(head + 'x'.repeat(200_000))),
    pull: () => new Promise(() => {}),
  })
  const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': 'multipart/form-data; boundary=b' }
  const upload = fetch(`${url}/v2/files/upload`, { method: 'POST', headers, body }).catch(() => undefined)
  while ((await temporaries().catch(() => [])).length === 0) await Bun.sleep(10)
  child.kill('SIGKILL')
  await Promise.all([child.exited, upload])

  const { blobs } = service.appContext
  await blobs.removeOldTemporaryFiles()
  expect([(await temporaries()).length, await countBlobs()]).toEqual([1, 0])
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400
  for (const name of await temporaries())
    await utimes(join(service.filesFolder, 'temporary', name), twoDaysAgo, twoDaysAgo)
  await blobs.removeOldTemporaryFiles()
  expect(await temporaries()).toEqual([])
})

test('a crash after the row, and one after the bytes, leave a blob that the worker deletes', async () => {
  const { blobs } = service.appContext
  const receive = (text: string) => blobs.receive(bytesOf(text), 100)
  await blobs.save(service.workspaceId, await receive('bytes'))
  const file = await receive('row')
  await file.remove()
  await expect(blobs.save(service.workspaceId, file)).rejects.toThrow()
  expect(await countBlobs()).toBe(2)
  await deleteUnreferenced(service.appContext, 0)
  expect([await countBlobs(), await Array.fromAsync(blobs.bytes.list())]).toEqual([0, []])
})

test('a deletion that fails or ends within is completed by the next run, and an upload in between keeps its bytes', async () => {
  const { blobs } = service.appContext
  const id = await files.file(record, { content: 'again' })
  await service.request('DELETE', `/v2/files/${id}`)
  const [key] = await Array.fromAsync(blobs.bytes.list())
  // As a process does that is killed between the bytes and the commit.
  const { remove } = blobs.bytes
  Object.assign(blobs.bytes, { remove: (each: never) => remove(each).then(() => Promise.reject(new Error('killed'))) })
  const log: string[] = []
  await captureLog(() => deleteUnreferenced(service.appContext, 0), log)
  expect(log).toEqual([expect.stringContaining('A blob could not be deleted yet.')])
  Object.assign(blobs.bytes, { remove })
  expect([await countBlobs(), key && (await blobs.bytes.findSize(key))]).toEqual([1, undefined])

  const [uploaded] = await Promise.all([
    files.file(record, { content: 'again' }),
    deleteUnreferenced(service.appContext, 3600),
  ])
  await deleteUnreferenced(service.appContext, 0)
  const { body } = await service.request('GET', await files.url(uploaded), undefined, { key: null })
  expect(body).toBe('again')
})

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
