/** Processes that are killed within an upload, a fetch, a deletion or a job of contacts lose no data, and leave no files or rows behind for ever. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommandLine } from '#run/cli/run'
import { contactWorker } from '#crm/contacts/worker'
import { runWorker } from '#testing/workers'
import { getObject } from '#engine/data-model/find'
import { videoWorker } from '#api/resources/call-recordings/fetch/fetch-video'
import { callRecordingClient } from '#testing/call-recordings'
import { bucketSettings, startBlobDeletion, startServiceProcess } from '#testing/child-process'
import { uploadBody } from '#testing/files'
import { listClient } from '#testing/lists'
import { meetingClient, participant } from '#testing/meetings'
import { type S3Server, startS3Server } from '#testing/s3-server'
import { useTestService } from '#testing/use-service'
import { until } from '#testing/until'
import { type BlobStore, createBlobStore, deleteUnreferenced, foldersIn } from './blob-store'
import { createS3Storage } from './s3-storage'

const MINUTE = 60_000_000
const VIDEO = crypto.getRandomValues(new Uint8Array(60_000))

const service = useTestService()
const records = listClient(service)
const meetings = meetingClient(service)
let record: string
let s3: S3Server
/** The store of the bucket. */
let bucket: BlobStore
/** Whether the host of the video stops in the middle of it. */
let isStalling = false
const host = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch({ method }) {
    const headers = { 'Content-Length': String(VIDEO.length) }
    if (method === 'HEAD' || !isStalling) return new Response(method === 'HEAD' ? null : VIDEO, { headers })
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(VIDEO.subarray(0, 9_000)) }))
  },
})
beforeAll(async () => {
  record = await records.record()
  s3 = await startS3Server()
  const bytes = createS3Storage(s3.settings)
  const { temporary: temporaryFolder } = foldersIn(service.filesFolder)
  bucket = createBlobStore({ db: service.db, process: crypto.randomUUID(), temporaryFolder, bytes })
})
afterAll(async () => {
  await s3.close()
  await host.stop(true)
})
beforeEach(async () => {
  isStalling = false
  await service.db.sql`delete from relata.files`
  await service.db.sql`delete from relata.call_recordings`
  await service.db.sql`delete from relata.blobs`
  for (const { bytes } of [service.appContext.blobs, bucket])
    for await (const key of bytes.list()) await bytes.remove(key)
})
afterEach(() => service.setNow())

const temporaries = () => readdir(join(service.filesFolder, 'temporary')).catch(() => [])
const blobRows = () => service.db.sql`select 1 from relata.blobs`

/** Makes the temporary files two hours old. */
async function makeOld(): Promise<void> {
  const old = Date.now() / 1000 - 7_200
  for (const name of await temporaries()) await utimes(join(service.filesFolder, 'temporary', name), old, old)
}

/** What `relata files check` prints. */
async function check(settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const lines: string[] = []
  const context = { print: (line: string) => lines.push(line), printError: (line: string) => lines.push(line) }
  const env = { DATABASE_URL: service.url, RELATA_FILES_DIR: service.filesFolder, ...settings }
  await runCommandLine(['files', 'check'], env, context)
  return lines.join('\n')
}
const GOOD = 'All files are as they should be.'

/** Takes a lock in a transaction, which ends when the returned function is called. */
async function lock(statement: string): Promise<() => Promise<void>> {
  const taken = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const transaction = service.db.sql.begin(async (tx) => {
    await tx.unsafe(statement)
    taken.resolve()
    await released.promise
  })
  await taken.promise
  return async () => {
    released.resolve()
    await transaction
  }
}

/** Waits until so many statements of other processes wait for locks. */
const untilWaiting = (count: number) =>
  until(async () => {
    const rows = await service.db.sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return rows.length >= count
  })

/** Uploads to another process, which is killed before it answers. */
async function upload(url: string, content: string): Promise<void> {
  const { bytes, type } = await uploadBody({ content, texts: { object: 'people', record_id: record } })
  const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': type }
  await fetch(`${url}/v2/files/upload`, { method: 'POST', headers, body: bytes }).catch(() => undefined)
}

/** Uploads a file that never ends. */
function uploadWithoutEnd(url: string): Promise<unknown> {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from(head + 'x'.repeat(200_000))),
    pull: () => new Promise(() => {}),
  })
  const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': 'multipart/form-data; boundary=b' }
  return fetch(`${url}/v2/files/upload`, { method: 'POST', headers, body }).catch(() => undefined)
}

async function addRecording(): Promise<() => Promise<string>> {
  const recordings = callRecordingClient(service)
  const meeting = await meetings.meeting()
  const id = await recordings.recording(meeting, { video_url: `http://127.0.0.1:${host.port}/v.mp4` })
  return async () => (await recordings.get(meeting, id)).body.data.status
}

/** Fetches what is due, some minutes later. */
async function fetchVideos(blobs: BlobStore): Promise<void> {
  isStalling = false
  service.setNow(service.appContext.now() + 2 * MINUTE)
  const worker = videoWorker().start({ ...service.appContext, blobs })
  await worker.settled()
  await worker.stop()
  service.setNow()
}

/** Runs the jobs of contacts, some minutes later. The meeting is then linked to records of these objects, to one company. */
async function expectLinked(meeting: string, domain: string, objects: readonly string[]): Promise<void> {
  const { db, appContext, request } = service
  const now = () => appContext.now() + 6 * MINUTE
  await runWorker(contactWorker, { db, models: appContext.models, now })
  const { linked_records } = (await meetings.get(meeting)).body.data
  expect(linked_records.map(({ object_slug }: { object_slug: string }) => object_slug)).toEqual(objects)
  const { body } = await request('POST', '/v2/objects/companies/records/query', { filter: { domains: domain } })
  expect(body.data).toHaveLength(1)
  expect(await db.sql`select 1 from relata.contact_jobs where meeting_id = ${meeting}`).toHaveLength(0)
}

test('in the middle of an upload, before its row, in the middle of a video, and in a job of contacts', async () => {
  const meeting = await meetings.meeting({
    participants: [participant('ada@killed.org'), participant('eva@killed.org')],
  })
  isStalling = true
  const statusOf = await addRecording()
  const release = await Promise.all([
    lock('lock table relata.files in share mode'),
    lock(`select 1 from relata.meetings where id = '${meeting}' for update`),
  ])
  const child = await startServiceProcess(service)
  const uploads = [uploadWithoutEnd(child.url), upload(child.url, 'without a row')]
  await untilWaiting(2)
  await until(async () => (await temporaries()).length === 2)
  const { blobs } = service.appContext
  // The files of a process that runs stay, however old they are.
  await makeOld()
  for (let run = 0; run < 3; run++) await blobs.removeDeadTemporaryFiles()
  await child.kill()
  await Promise.all([...release.map((each) => each()), ...uploads])
  expect([(await temporaries()).length, (await blobRows()).length, await statusOf()]).toEqual([2, 1, 'processing'])

  await fetchVideos(blobs)
  expect(await statusOf()).toBe('completed')
  await expectLinked(meeting, 'killed.org', ['people', 'people', 'companies'])

  await makeOld()
  // At one check, the process may be about to connect.
  await blobs.removeDeadTemporaryFiles()
  expect(await temporaries()).toHaveLength(2)
  await blobs.removeDeadTemporaryFiles()
  expect(await temporaries()).toEqual([])
  await deleteUnreferenced(service.appContext, 0)
  expect([await check(), (await blobRows()).length]).toEqual([GOOD, 1])
})

test('between the row of a blob, its bytes and its file, before the end of a fetch, and before the first contact, with a bucket', async () => {
  const settings = bucketSettings(s3.settings)
  const statusOf = await addRecording()
  const meeting = await meetings.meeting({ participants: [participant('ada@first.org')] })
  const companies = getObject(await service.appContext.models.reload(service.workspaceId), 'companies')
  const release = await Promise.all([
    lock('select 1 from relata.call_recordings for update'),
    lock(`lock table ${companies.table} in share mode`),
  ])
  const child = await startServiceProcess(service, settings)
  await untilWaiting(2)
  const uploads: Promise<void>[] = []
  for (const when of ['before', 'after'] as const) {
    const held = s3.hold('PUT', when)
    uploads.push(upload(child.url, `held ${when}`))
    await held
  }
  await child.kill()
  await Promise.all([...release.map((each) => each()), ...uploads])
  expect([(await blobRows()).length, (await Array.fromAsync(bucket.bytes.list())).length]).toEqual([3, 2])
  await fetchVideos(bucket)
  expect(await statusOf()).toBe('completed')
  await expectLinked(meeting, 'first.org', ['people', 'companies'])
  await deleteUnreferenced({ db: service.db, blobs: bucket }, 0)
  expect([await check(settings), (await blobRows()).length]).toEqual([GOOD, 1])
  expect(await Array.fromAsync(bucket.bytes.list())).toHaveLength(1)
})

test('before and after the deletion of bytes, with a bucket', async () => {
  const settings = bucketSettings(s3.settings)
  const save = async () => bucket.save(service.workspaceId, await bucket.receive(bytesOf('again'), 100))
  const key = await save()
  for (const [when, size] of [
    ['before', 5],
    ['after', undefined],
  ] as const) {
    const held = s3.hold('DELETE', when)
    const child = startBlobDeletion(service, settings)
    await held
    await child.kill()
    expect([(await blobRows()).length, await bucket.bytes.findSize(key)]).toEqual([1, size])
  }
  await save()
  expect([await bucket.bytes.findSize(key), await check(settings)]).toEqual([5, GOOD])
  await deleteUnreferenced({ db: service.db, blobs: bucket }, 0)
  expect([(await blobRows()).length, await bucket.bytes.findSize(key)]).toEqual([0, undefined])
})

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
