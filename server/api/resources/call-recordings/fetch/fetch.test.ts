/** See docs/reference/call-recordings.md (Videos). */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { deleteUnreferenced } from '#crm/blobs/blob-store'
import { type CallRecordingClient, callRecordingClient, segment } from '#testing/call-recordings'
import { meetingClient } from '#testing/meetings'
import { createTrigger } from '#testing/create-trigger'
import { testService, type TestService } from '#testing/service'
import { until } from '#testing/until'
import { sha256 } from '#base/text/sha256'
import { createTargetPolicy } from '#events/webhooks/send/target'
import { createVideoClient } from './video-client'
import type { RunningQueueWorker } from '#engine/queue'
import { videoWorker } from './fetch-video'

const VIDEO = crypto.getRandomValues(new Uint8Array(60_000))
const HOUR = 3_600_000_000

/** How the host answers GET. It answers HEAD with the size of the video. */
let answer: (request: Request) => Response | Promise<Response>
let gets = 0
const host = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    if (request.method === 'HEAD') return new Response(null, { headers: { 'Content-Length': String(VIDEO.length) } })
    gets++
    return answer(request)
  },
})
const video_url = `http://127.0.0.1:${host.port}/video.mp4?token=a%2Fb`

let service: TestService
let recordings: CallRecordingClient
let meeting: string
const workers: RunningQueueWorker[] = []
let complaints: ReturnType<typeof spyOn<Console, 'error'>>
beforeAll(async () => {
  service = await testService()
  recordings = callRecordingClient(service)
  meeting = await meetingClient(service).meeting()
})
afterAll(async () => {
  await service.close()
  await host.stop(true)
})
beforeEach(async () => {
  await service.db.sql`delete from relata.call_recordings`
  await service.events()
  answer = () => new Response(VIDEO)
  gets = 0
  complaints = spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop()
  complaints.mockRestore()
  service.setNow()
})

/** A worker as another process has it. */
function startWorker(limits: { renewMs?: number; slowMs?: number } = {}): RunningQueueWorker {
  const { db, now, blobs } = service.appContext
  const videos = createVideoClient(createTargetPolicy({ allowPrivate: true }), limits)
  const worker = videoWorker(limits).start({ db, now, blobs, videos })
  workers.push(worker)
  return worker
}

describe('a recording of audio alone', () => {
  test.each([
    ['call.mp3', 'audio/mpeg', 'mp3'],
    ['call.M4A', 'audio/mp4', 'm4a'],
    ['call.wav', 'audio/wav', 'wav'],
    ['call.webm', 'video/webm', 'webm'],
  ])('%s is fetched and served as %s', async (name, type, extension) => {
    const id = await recordings.recording(meeting, { video_url: `http://127.0.0.1:${host.port}/${name}?x=.mp4` })
    expect((await recordings.get(meeting, id)).body.data).toMatchObject({ video_url: null, media_type: type })
    await startWorker().settled()
    const { video_url: url, media_type, status } = (await recordings.get(meeting, id)).body.data
    expect([media_type, status]).toEqual([type, 'completed'])
    const { status: answered, headers } = await service.request('GET', new URL(url).pathname, undefined, { key: null })
    expect([answered, headers.get('content-type')]).toEqual([200, type])
    expect(headers.get('content-disposition')).toContain(`${id}.${extension}`)
  })

  test('400 for another extension, with those that are fetched', async () => {
    for (const name of ['call.ogg', 'call', 'call.mp3/', 'mp3', `${'x'.repeat(1500)}.exe`]) {
      const refused = await recordings.create(meeting, { video_url: `http://127.0.0.1:${host.port}/${name}` })
      expect([name, refused.status, refused.body.code]).toEqual([name, 400, 'validation_type'])
      expect(refused.body.message).toContain('.mp4, .webm, .mp3, .m4a or .wav')
    }
  })

  test('a recording with a transcript only has no media type', async () => {
    const transcript = [{ speech: 'Hello', start_time: 0, end_time: 1, speaker: { name: 'Ada' } }]
    const id = await recordings.recording(meeting, { transcript })
    expect((await recordings.get(meeting, id)).body.data).toMatchObject({ video_url: null, media_type: null })
  })
})

const statusOf = async (id: string) => (await recordings.get(meeting, id)).body.data.status

const temporaryFiles = () => {
  const folder = join(service.filesFolder, 'temporary')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** The number of blobs that have references, and of those that have none. */
async function blobs(): Promise<[number, number]> {
  const rows = await service.db.sql<{ references_count: number }[]>`select references_count from relata.blobs`
  const referenced = rows.filter((row) => row.references_count > 0).length
  return [referenced, rows.length - referenced]
}

async function passHours(hours: number): Promise<void> {
  service.setNow(service.appContext.now() + hours * HOUR)
}

/** Makes the host stop in the middle of the video until `release`. */
function stallAnswer() {
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  answer = () => {
    begun.resolve()
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(VIDEO.subarray(0, 1000))
        await released.promise
        try {
          controller.enqueue(VIDEO.subarray(1000))
          controller.close()
        } catch {
          // The client has closed the connection.
        }
      },
    })
    return new Response(body, { headers: { 'Content-Length': String(VIDEO.length) } })
  }
  return { begun: begun.promise, release: () => released.resolve() }
}

describe('a video', () => {
  test('is processing until it is stored; then it has its event, by the creator', async () => {
    const { body } = await recordings.create(meeting, { video_url, transcript: [segment(0)] })
    const { call_recording_id: id } = body.data.id
    expect([body.data.status, await statusOf(id), await service.events()]).toEqual(['processing', 'processing', []])
    expect((await recordings.get(meeting, id)).body.data.transcript.segments).toHaveLength(1)
    await startWorker().settled()
    expect(await statusOf(id)).toBe('completed')
    const [event, ...others] = await service.events()
    expect(others).toEqual([])
    expect(event).toMatchObject({
      event_type: 'call-recording.created',
      id: { meeting_id: meeting, call_recording_id: id },
      actor: body.data.created_by_actor,
    })
    const [blob] = await service.db.sql<{ digest: string; size: string }[]>`
      select encode(digest, 'hex') as digest, size from relata.blobs where references_count = 1`
    expect(blob).toEqual({ digest: sha256(VIDEO), size: String(VIDEO.length) })
    expect(temporaryFiles()).toEqual([])
  })

  test('is fetched once by several processes', async () => {
    const ids = [await recordings.recording(meeting, { video_url }), await recordings.recording(meeting, { video_url })]
    const started = [startWorker(), startWorker(), startWorker()]
    await Promise.all(started.map((worker) => worker.settled()))
    expect(await Promise.all(ids.map(statusOf))).toEqual(['completed', 'completed'])
    expect([gets, (await service.events()).length]).toEqual([2, 2])
  })

  test('loses its bytes with the recording, and with the meeting', async () => {
    const own = await meetingClient(service).meeting()
    const id = await recordings.recording(meeting, { video_url })
    await recordings.recording(own, { video_url })
    await startWorker().settled()
    await recordings.remove(meeting, id)
    expect(await blobs()).toEqual([1, 0])
    await meetingClient(service).remove(own)
    expect(await blobs()).toEqual([0, 1])
    await deleteUnreferenced(service.appContext, 0)
    expect(await blobs()).toEqual([0, 0])
    expect(await Array.fromAsync(service.appContext.blobs.bytes.list())).toEqual([])
  })
})

describe('a fetch', () => {
  test.each(['recording', 'meeting'])('ends when the %s is deleted, and leaves no bytes', async (what) => {
    const own = await meetingClient(service).meeting()
    const id = await recordings.recording(own, { video_url })
    const { begun, release } = stallAnswer()
    const worker = startWorker({ renewMs: 10 })
    await begun
    const before = await blobs()
    if (what === 'recording') await recordings.remove(own, id)
    else await meetingClient(service).remove(own)
    await worker.settled()
    release()
    expect([temporaryFiles(), await blobs(), await service.events()]).toEqual([[], before, []])
  })

  test('that ends just after the deletion stores nothing', async () => {
    const id = await recordings.recording(meeting, { video_url })
    const { begun, release } = stallAnswer()
    const worker = startWorker()
    await begun
    const before = await blobs()
    await recordings.remove(meeting, id)
    release()
    await worker.settled()
    expect([temporaryFiles(), await blobs(), await service.events()]).toEqual([[], before, []])
  })

  test('is interrupted when the process stops, and begins again in another one', async () => {
    const id = await recordings.recording(meeting, { video_url })
    const { begun, release } = stallAnswer()
    const first = startWorker()
    await begun
    await first.stop()
    release()
    expect([temporaryFiles(), await statusOf(id)]).toEqual([[], 'processing'])
    answer = () => new Response(VIDEO)
    await startWorker().settled()
    expect(await statusOf(id)).toBe('completed')
    const rows = await service.db.sql`select 1 from relata.call_recording_fetches`
    expect(rows).toHaveLength(0)
  })

  test('of a process that lost its lease stores nothing; the other process stores the video', async () => {
    const id = await recordings.recording(meeting, { video_url })
    const { begun, release } = stallAnswer()
    const first = startWorker()
    await begun
    // The process was suspended, and its lease has ended.
    await passHours(1)
    answer = () => new Response(VIDEO)
    await startWorker().settled()
    expect(await statusOf(id)).toBe('completed')
    release()
    await first.settled()
    expect([(await service.events()).length, temporaryFiles()]).toEqual([1, []])
  })

  test('is fetched once while the disk of the database is full, and stored later; the attempt does not count', async () => {
    const id = await recordings.recording(meeting, { video_url })
    const body = "raise 'no room' using errcode = 'disk_full';"
    await createTrigger(service.db, { name: 'full_disk', when: 'before insert on relata.blobs', body })
    await startWorker().settled()
    expect([await statusOf(id), gets]).toEqual(['processing', 1])
    const [fetch] = await service.db.sql`select attempts from relata.call_recording_fetches`
    expect(fetch).toEqual({ attempts: 0 })
    await service.db.sql.unsafe('drop function full_disk cascade')
    await passHours(1)
    await startWorker().settled()
    expect([await statusOf(id), gets]).toEqual(['completed', 2])
  })

  test('takes two videos of a workspace at a time', async () => {
    for (let count = 0; count < 3; count++) await recordings.recording(meeting, { video_url })
    const { begun, release } = stallAnswer()
    const worker = startWorker()
    await begun
    const leased = async () =>
      (await service.db.sql`select 1 from relata.call_recording_fetches where leased_by is not null`).length
    await until(async () => (await leased()) === 2)
    await startWorker().settled()
    expect(await leased()).toBe(2)
    release()
    await worker.settled()
    expect(gets).toBe(3)
  })
})

describe('a host that fails', () => {
  const passing: [name: string, answer: () => Response][] = [
    ['503', () => new Response('', { status: 503 })],
    ['429', () => new Response('', { status: 429 })],
    ['a video that is cut off', () => new Response(VIDEO.subarray(1))],
  ]
  test.each(passing)('is asked five times: %s', async (_, fail) => {
    const id = await recordings.recording(meeting, { video_url })
    answer = fail
    const worker = startWorker()
    for (let attempts = 1; attempts <= 6; attempts++) {
      await worker.settled()
      expect(gets).toBe(Math.min(attempts, 5))
      expect(await statusOf(id)).toBe(attempts < 5 ? 'processing' : 'failed')
      await passHours(2)
      worker.wake()
    }
    expect(await service.events()).toEqual([])
  })

  const final: [name: string, answer: () => Response][] = [
    ['404', () => new Response('', { status: 404 })],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/video.mp4')],
    ['more bytes than announced', () => new Response(new Uint8Array(VIDEO.length + 1))],
    ['a compressed video', () => new Response(VIDEO, { headers: { 'Content-Encoding': 'gzip' } })],
  ]
  test.each(final)('is asked once: %s', async (_, fail) => {
    const id = await recordings.recording(meeting, { video_url })
    answer = fail
    await startWorker().settled()
    expect([gets, await statusOf(id), await service.events(), temporaryFiles()]).toEqual([1, 'failed', [], []])
  })

  test('is asked again after a second time, and then the video is stored', async () => {
    const id = await recordings.recording(meeting, { video_url })
    answer = () => new Response('', { status: 500 })
    const worker = startWorker()
    await worker.settled()
    answer = () => new Response(VIDEO)
    await passHours(1)
    worker.wake()
    await worker.settled()
    expect(await statusOf(id)).toBe('completed')
  })

  test('and sends too slowly is interrupted', async () => {
    const id = await recordings.recording(meeting, { video_url })
    const { release } = stallAnswer()
    const worker = startWorker({ slowMs: 20 })
    await worker.settled()
    release()
    expect([await statusOf(id), temporaryFiles()]).toEqual(['processing', []])
  })
})
