import { expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { createProblems } from '#run/cli/copy/copy-context'
import { createApiClient, retryDelay, TooLargeError } from './api-client'
import { readRowsOfApi } from './read-rows'

const NOW = Date.parse('2026-01-01T00:00:00Z')

test.each<[retry: number, retryAfter: string | null, delay: number]>([
  [0, null, 500],
  [3, null, 4000],
  [20, null, 30_000],
  [0, '7', 7000],
  [0, '0', 500],
  [0, '99999999', 300_000],
  [0, 'Thu, 01 Jan 2026 00:00:04 GMT', 4000],
  [1, 'Wed, 31 Dec 2025 00:00:00 GMT', 1000],
  [0, 'soon', 500],
  [0, '1'.repeat(101), 500],
])('the pause before retry %d with Retry-After %p is %d ms', (retry, retryAfter, delay) => {
  expect(retryDelay(retry, retryAfter, NOW)).toBe(delay)
})

/** A server that answers each connection in the next of these ways. */
async function tcpServer(...answers: ((socket: Socket) => void)[]) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => answers.shift()?.(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const pauses: number[] = []
  const { signal } = new AbortController()
  const pause = async (ms: number) => void pauses.push(ms)
  return { client: createApiClient({ url: `http://127.0.0.1:${port}`, key: 'x', signal, pause }), pauses, server }
}

const HEAD = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length:'

test('a connection that is reset, and an answer that ends early, are asked for again', async () => {
  const { client, pauses, server } = await tcpServer(
    (socket) => socket.destroy(),
    (socket) => socket.end(`${HEAD} 100\r\n\r\n{"data":[`),
    (socket) => socket.end(`${HEAD} 10\r\n\r\n{"data":1}`),
  )
  expect(await client.request('GET', '/v2/self')).toEqual({ data: 1 })
  expect(pauses).toEqual([500, 1000])
  server.close()
})

test('a redirect is not followed, and ten failures end the copy', async () => {
  const redirect = (socket: Socket) =>
    socket.end('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  const { client, server } = await tcpServer(...Array.from({ length: 10 }, () => redirect))
  await expect(client.request('GET', '/v2/self')).rejects.toThrow('failed 10 times')
  server.close()
})

const isNumber = (value: unknown): value is number => typeof value === 'number'

async function read(limit: number, readPage: (limit: number, offset: number) => unknown) {
  const problems = createProblems()
  const rows = {
    kind: 'numbers',
    limit,
    isRow: isNumber,
    idOf: String,
    readPage: async (l: number, o: number) => readPage(l, o),
  }
  return { rows: await Array.fromAsync(readRowsOfApi(rows, problems)), problems: problems.count }
}

test('rows end at an empty page, and not at a short one', async () => {
  const all = [1, 2, 3, 4, 5]
  const { rows, problems } = await read(4, (_limit, offset) => ({ data: all.slice(offset, offset + 2) }))
  expect([rows, problems]).toEqual([all, 0])
})

test('a source that answers the same pages in turn is read once, and reported', async () => {
  const { rows, problems } = await read(2, (_limit, offset) => ({ data: (offset / 2) % 2 === 0 ? [1, 2] : [3, 4] }))
  expect([rows, problems]).toEqual([[1, 2, 3, 4], 1])
})

test('a page that is too large is read in smaller ones', async () => {
  const { rows } = await read(8, (limit, offset) => {
    if (limit > 2) throw new TooLargeError('too large')
    return { data: [1, 2, 3].slice(offset, offset + limit) }
  })
  expect(rows).toEqual([1, 2, 3])
})
