import { afterAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { findFreePort } from '#db/embedded/cluster'
import { createSocketServers } from '#testing/socket-server'
import { createSend } from './send-request'
import { createTargetPolicy } from './target'

const targets = createTargetPolicy({ allowPrivate: true, resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
/** So long that only the receivers that never respond reach it. */
const send = createSend(targets, 60_000)
const hurried = createSend(targets, 3_000)

const servers = createSocketServers()
afterAll(servers.close)

const receiver = servers.start
const answering = (text: string) => receiver((socket) => socket.end(text))
const outgoing = (port: number) => ({
  target: `http://hook.example:${port}/path?x=1`,
  headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
  body: '{"a":"ä"}',
})

describe('send', () => {
  test('sends the unchanged body to the resolved address, with the host name of the target', async () => {
    let seen = ''
    const port = await receiver((socket, received) => {
      seen = received
      socket.end('HTTP/1.1 202 Accepted\r\nX-Told: yes\r\nContent-Length: 2\r\n\r\nok')
    })
    const attempted = await send(outgoing(port))
    expect(attempted).toMatchObject({ status: 202, body: 'ok', problem: undefined, address: '127.0.0.1' })
    expect(attempted.headers['x-told']).toBe('yes')
    const [head = '', body] = seen.split('\r\n\r\n')
    expect(head).toStartWith('POST /path?x=1 HTTP/1.1\r\n')
    expect(head.toLowerCase()).toContain(`host: hook.example:${port}`)
    expect(head.toLowerCase()).toContain('accept-encoding: identity')
    expect(head.toLowerCase()).not.toContain('cookie')
    expect(body).toBe('{"a":"ä"}')
  })

  test('does not follow redirects', async () => {
    const port = await answering('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n')
    expect(await send(outgoing(port))).toMatchObject({ status: 302, problem: undefined })
  })

  test('reads only the beginning of an endless response', async () => {
    const port = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      const more = () => {
        while (socket.writable && socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`));
      }
      socket.on('drain', more)
      more()
    })
    const { status, body, problem } = await send(outgoing(port))
    expect([status, body.length, problem]).toEqual([200, 8192, undefined])
  })

  test('returns only text that PostgreSQL can store', async () => {
    const port = await answering('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na\u0000b')
    expect((await send(outgoing(port))).body).toBe('a\uFFFDb')
  })

  const problems: [name: string, answer: (socket: Socket) => void, status: number | undefined, code: string][] = [
    ['hangs up', (socket) => socket.destroy(), undefined, 'broken_off'],
    ['resets', (socket) => socket.resetAndDestroy(), undefined, 'broken_off'],
    ['speaks another protocol', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), undefined, 'broken_off'],
  ]
  test.each(problems)('a receiver that %s', async (_, answer, status, code) => {
    const attempted = await send(outgoing(await receiver(answer)))
    expect([attempted.status, attempted.problem?.code]).toEqual([status, code as never]) // codes are of a narrower type
  })

  test('a receiver that sends nothing, half a response, or an endless one slowly', async () => {
    const receivers: [(socket: Socket) => void, number | undefined][] = [
      [() => {}, undefined],
      [(socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'), 200],
      [
        (socket) => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
          const timer = setInterval(() => socket.write('x'), 20)
          socket.on('close', () => clearInterval(timer))
        },
        200,
      ],
    ]
    const attempts = receivers.map(async ([answer]) => hurried(outgoing(await receiver(answer))))
    expect((await Promise.all(attempts)).map(({ status, problem }) => [status, problem?.code])).toEqual(
      receivers.map(([, status]) => [status, 'timed_out']),
    )
  })

  test('a receiver that refuses connections', async () => {
    const port = await findFreePort(0)
    expect((await send(outgoing(port))).problem?.code).toBe('no_connection')
  })

  test('a name that does not resolve, and one that never answers', async () => {
    const failing = createTargetPolicy({
      allowPrivate: true,
      resolve: () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })),
    })
    expect((await createSend(failing, 60_000)(outgoing(1))).problem?.code).toBe('unknown_host')
    const hanging = createTargetPolicy({ allowPrivate: true, resolve: () => new Promise(() => {}) })
    expect((await createSend(hanging, 50)(outgoing(1))).problem?.code).toBe('timed_out')
  })

  test('an address that became private is refused before anything is sent', async () => {
    const strict = createTargetPolicy({
      allowPrivate: false,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    let isAsked = false
    const port = await receiver(() => (isAsked = true))
    expect((await createSend(strict, 60_000)(outgoing(port))).problem?.code).toBe('refused_target')
    expect(isAsked).toBe(false)
  })
})
