/** What the service accepts as a video when a recording is created, and from hosts that break the rules of HTTP. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { callRecordingClient } from '#testing/call-recordings'
import { meetingClient } from '#testing/meetings'
import { testService, type TestService } from '#testing/service'
import { createSocketServers } from '#testing/socket-server'
import { createTargetPolicy, type Address } from '#events/webhooks/send/target'
import { videoWorker } from './fetch-video'
import { createVideoClient, MAX_VIDEO_BYTES, VideoError, type VideoTimeLimits } from './video-client'

const servers = createSocketServers()
afterAll(servers.close)

const host = servers.start
const answering = (text: string) => host((socket) => socket.end(text))
const urlAt = (port: number) => `http://videos.example:${port}/v.mp4`
const LOCAL: Address = { address: '127.0.0.1', family: 4 }
const clientWith = (limits: Partial<VideoTimeLimits> = {}) =>
  createVideoClient(createTargetPolicy({ allowPrivate: true, resolve: async () => [LOCAL] }), limits)

const messageOf = async (promise: Promise<unknown>): Promise<string> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof VideoError ? error.message : String(error)
}

const head = (lines: string) => `HTTP/1.1 200 OK\r\n${lines}\r\n`

describe('readSize', () => {
  test('sends HEAD to the resolved address, without credentials', async () => {
    let seen = ''
    const port = await host((socket, received) => {
      seen = received
      socket.end(head('Content-Length: 5\r\n'))
    })
    expect(await clientWith().readSize(urlAt(port))).toBe(5)
    expect(seen).toStartWith('HEAD /v.mp4 HTTP/1.1\r\n')
    expect(seen.toLowerCase()).toContain(`host: videos.example:${port}\r\n`)
    expect(seen.toLowerCase()).not.toMatch(/cookie|authorization|referer/)
  })

  const refused: [name: string, answer: string, message: string][] = [
    ['no length', head(''), 'Content-Length'],
    ['a length that is no number', head('Content-Length: 1e3\r\n'), ''],
    ['a length of nothing', head('Content-Length: 0\r\n'), 'empty'],
    ['more than 1 GB', head(`Content-Length: ${MAX_VIDEO_BYTES + 1}\r\n`), 'larger than 1 GB'],
    ['a length of 30 digits', head(`Content-Length: ${'9'.repeat(30)}\r\n`), ''],
    ['403 to HEAD and GET', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n', 'status 403'],
    ['404', 'HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n', 'status 404'],
    ['a redirect', 'HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/v.mp4\r\nContent-Length: 5\r\n\r\n', 'redirects'],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n', 'could not be reached'],
  ]
  test.each(refused)('refuses a host that answers with %s', async (_, answer, message) => {
    const problem = await messageOf(clientWith().readSize(urlAt(await answering(answer))))
    expect(problem).toContain(message)
    expect(problem).not.toBe('undefined')
  })

  /** A host that answers HEAD with a status, and a request for the first byte with a header. */
  const onlyGet = (status: number, part: string) =>
    host((socket, received) => {
      if (received.startsWith('HEAD')) socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 9\r\n\r\n`)
      else if (/^range: bytes=0-0\r$/im.test(received)) socket.end(`HTTP/1.1 ${part}\r\nContent-Length: 1\r\n\r\nx`)
    })

  test.each([403, 405, 501])('reads the size by GET where HEAD answers %d', async (status) => {
    const port = await onlyGet(status, '206 Partial Content\r\nContent-Range: bytes 0-0/1234')
    expect(await clientWith().readSize(urlAt(port))).toBe(1234)
  })

  test.each([
    ['an unknown size', '206 Partial Content\r\nContent-Range: bytes 0-0/*', 'did not answer GET with the size'],
    ['no range', '206 Partial Content', 'did not answer GET with the size'],
    ['another range', '206 Partial Content\r\nContent-Range: bytes 0-9/10', 'did not answer GET with the size'],
    ['the whole video', '200 OK', 'status 200'],
    ['a redirect', '302 Found\r\nLocation: http://10.0.0.1/v.mp4', 'redirects'],
    ['no bytes', '206 Partial Content\r\nContent-Range: bytes 0-0/0', 'empty'],
    ['more than 1 GB', `206 Partial Content\r\nContent-Range: bytes 0-0/${MAX_VIDEO_BYTES + 1}`, 'larger than 1 GB'],
  ])('refuses a host that refuses HEAD and answers GET with %s', async (_, part, message) => {
    expect(await messageOf(clientWith().readSize(urlAt(await onlyGet(405, part))))).toContain(message)
  })

  test('accepts 1 GB', async () => {
    const port = await answering(head(`Content-Length: ${MAX_VIDEO_BYTES}\r\n`))
    expect(await clientWith().readSize(urlAt(port))).toBe(MAX_VIDEO_BYTES)
  })

  test('refuses a host that does not answer in time, or cannot be found', async () => {
    const silent = await host(() => {})
    expect(await messageOf(clientWith({ headMs: 50 }).readSize(urlAt(silent)))).toContain('within 0.05 seconds')
    const targets = createTargetPolicy({ allowPrivate: true, resolve: async () => Promise.reject(new Error('no')) })
    expect(await messageOf(createVideoClient(targets).readSize(urlAt(1)))).toContain('could not be reached')
  })

  const production = createVideoClient(createTargetPolicy({ allowPrivate: false, resolve: async () => [LOCAL] }))
  test.each([
    ['http://example.com/v.mp4', 'https'],
    ['https://example.com:22/v.mp4', 'port'],
    ['https://videos.example/v.mp4', 'not public'],
    ['https://10.1.2.3/v.mp4', 'not public'],
    ['https://169.254.169.254/v.mp4', 'not public'],
    ['https://[::1]/v.mp4', 'not public'],
    ['https://[::ffff:10.0.0.1]/v.mp4', 'not public'],
    ['https://0x7f000001/v.mp4', 'not public'],
  ])('refuses %s: %s', async (url, message) => {
    expect(await messageOf(production.readSize(url))).toContain(message)
  })

  test('refuses a name that is private at the request and was public before', async () => {
    const answers: Address[] = [{ address: '93.184.216.34', family: 4 }]
    const targets = createTargetPolicy({ allowPrivate: false, resolve: async () => [answers.shift() ?? LOCAL] })
    expect(await messageOf(createVideoClient(targets).readSize('https://videos.example/v.mp4'))).toContain('not public')
  })
})

describe('read', () => {
  const read = async (port: number, size: number, limits: Partial<VideoTimeLimits> = {}) => {
    let bytes = 0
    for await (const chunk of clientWith(limits).read(urlAt(port), size, new AbortController().signal))
      bytes += chunk.length
    return bytes
  }

  test('reads a video in chunks', async () => {
    const port = await host((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n')
      socket.end('2\r\nde\r\n0\r\n\r\n')
    })
    expect(await read(port, 5)).toBe(5)
  })

  test('stops an endless video at the announced size', async () => {
    const port = await host((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      const more = () => {
        while (socket.writable && socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`));
      }
      socket.on('drain', more)
      more()
    })
    expect(await messageOf(read(port, 1_000_000))).toContain('larger than its host announced')
  })

  test.each([
    ['is closed early', head('Content-Length: 5\r\n') + 'abc'],
    ['is shorter than announced', head('Content-Length: 3\r\n') + 'abc'],
  ])('refuses a video whose connection %s', async (_, answer) => {
    const error: unknown = await read(await answering(answer), 5).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(VideoError)
    expect(error).toMatchObject({ isFinal: false })
  })

  test('ends after the total time, and when it is stopped', async () => {
    const port = await host((socket) => socket.write(`${head('Content-Length: 5\r\n')}ab`))
    expect(await messageOf(read(port, 5, { totalMs: 50 }))).toContain('took too long')
    const stop = new AbortController()
    const reading = clientWith().read(urlAt(port), 5, stop.signal)
    await reading.next()
    stop.abort(new Error('stopped'))
    expect(await messageOf(reading.next())).toContain('stopped')
  })
})

describe('POST …/call_recordings', () => {
  let service: TestService
  beforeAll(async () => {
    const own = { prefix: 'http://localhost:8080/hooks/', local: 'http://127.0.0.1:1/hooks/' }
    service = await testService({}, () => ({
      videos: createVideoClient(createTargetPolicy({ allowPrivate: true, own })),
    }))
  })
  afterAll(() => service.close())

  test.each([
    ['at the service itself', 'http://localhost:8080/v2/video.mp4'],
    ['at a test endpoint', 'http://localhost:8080/hooks/x/video.mp4'],
    ['that nothing answers', 'http://127.0.0.1:1/video.mp4'],
  ])('400 for a video %s; nothing is created', async (_, video_url) => {
    const meeting = await meetingClient(service).meeting()
    const { status, body } = await callRecordingClient(service).create(meeting, { video_url })
    expect([status, body.code, body.validation_errors[0].path]).toEqual([400, 'validation_type', ['data', 'video_url']])
    expect((await callRecordingClient(service).list(meeting)).body.data).toEqual([])
  })

  test('then GET has a URL of the video, which needs no token, serves ranges, and ends after an hour', async () => {
    const video = 'a video of 26 bytes, or so'
    const port = await host((socket, received) =>
      socket.end(head(`Content-Length: ${video.length}\r\n`) + (received.startsWith('HEAD') ? '' : video)),
    )
    const recordings = callRecordingClient(service)
    const meeting = await meetingClient(service).meeting()
    const id = await recordings.recording(meeting, { video_url: `http://127.0.0.1:${port}/V.MP4?x=1` })
    expect((await recordings.get(meeting, id)).body.data.video_url).toBeNull()
    const worker = videoWorker().start(service.appContext)
    await worker.settled()
    await worker.stop()
    const { video_url } = (await recordings.get(meeting, id)).body.data
    const { origin, pathname } = new URL(video_url)
    expect(origin).toBe('http://localhost:8080')
    const read = (headers: Record<string, string> = {}) =>
      service.request('GET', pathname, undefined, { key: null, headers })
    const whole = await read()
    expect([whole.status, whole.body, whole.headers.get('content-type')]).toEqual([200, video, 'video/mp4'])
    const part = await read({ Range: 'bytes=2-6' })
    expect([part.status, part.body, part.headers.get('content-range')]).toEqual([206, 'video', 'bytes 2-6/26'])
    const signedAt = service.appContext.now()
    service.setNow(signedAt + 3_599_000_000)
    expect((await read()).status).toBe(200)
    service.setNow(signedAt + 3_601_000_000)
    expect((await read()).status).toBe(404)
    service.setNow()
    expect((await read()).status).toBe(200)
    await recordings.remove(meeting, id)
    expect((await read()).status).toBe(404)
  })
})
