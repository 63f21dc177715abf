/** The service is killed while it fetches a video. The next process stores it once, and no bytes of the first attempt are left. */

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReader } from '../../support/service/database'
import { forThisFile } from '../../support/service/service-per-file'
import { startService } from '../../support/service/service'
import { until } from '../../support/until'

const VIDEO = crypto.getRandomValues(new Uint8Array(200_000))

const folder = mkdtempSync(join(tmpdir(), 'relata-videos-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const service = forThisFile(() => startService({ RELATA_ALLOW_PRIVATE_TARGETS: '1', RELATA_FILES_DIR: folder }))

let gets = 0
const released = Promise.withResolvers<void>()
/** The first answer to GET stops in the middle. */
const host = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch(request) {
    const headers = { 'Content-Length': String(VIDEO.length) }
    if (request.method === 'HEAD') return new Response(null, { headers })
    if (++gets > 1) return new Response(VIDEO)
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(VIDEO.subarray(0, 100_000))
        await released.promise
        controller.error(new Error('The test ended.'))
      },
    })
    return new Response(body, { headers })
  },
})
afterAll(async () => {
  released.resolve()
  await host.stop(true)
})

const meeting = {
  title: 'Weekly',
  description: '',
  start: { datetime: '2027-11-27T14:00:00Z' },
  end: { datetime: '2027-11-27T15:00:00Z' },
  is_all_day: false,
  participants: [{ name: 'Ada', is_organizer: true, status: 'accepted' }],
}

const temporaryFiles = () => readdirSync(join(folder, 'temporary'))

test('a video is stored once when the service is killed during its fetch', async () => {
  const { request, crash, databaseUrl } = service()
  const { meeting_id } = (await request('POST', '/v2/meetings', { data: meeting })).body.data.id
  const video_url = `http://127.0.0.1:${host.port}/video.mp4`
  const recordings = `/v2/meetings/${meeting_id}/call_recordings`
  const created = await request('POST', recordings, { data: { video_url } })
  const id = created.body.data.id.call_recording_id
  const path = `${recordings}/${id}`
  await until(() => gets === 1 && temporaryFiles().length === 1)
  await crash()
  expect((await request('GET', path)).body.data.status).toBe('processing')
  const sql = openReader(databaseUrl)
  try {
    await until(async () => (await request('GET', path)).body.data.status === 'completed')
    const counts = await sql`select attempts from relata.call_recording_fetches`
    expect([gets, counts.length]).toEqual([2, 0])
  } finally {
    await sql.end()
  }
  const video = await fetch(
    (await request('GET', path)).body.data.video_url.replace(/^https?:\/\/[^/]+/, service().url),
  )
  expect(Buffer.compare(Buffer.from(await video.arrayBuffer()), Buffer.from(VIDEO))).toBe(0)
  const eventsOfRecording = async () => {
    const { data } = (await request('GET', '/v2/events')).body
    return data.filter(({ event }: { event: { id: Record<string, string> } }) => event.id.call_recording_id === id)
  }
  await until(async () => (await eventsOfRecording()).length > 0)
  expect(await eventsOfRecording()).toHaveLength(1)
})
