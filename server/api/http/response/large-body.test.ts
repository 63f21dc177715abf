import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { openByteWriter } from '#base/text/byte-writer'
import { respondWith } from './answer'

const SIZES = [0, 1, 14_999, 15_000, 16_384, 300_000, 3_000_000]
const contentOf = (size: number): string => 'é€x'.repeat(Math.ceil(size / 3)).slice(0, size)

let server: Bun.Server<undefined>
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const text = contentOf(Number(searchParams.get('size')))
      await Bun.sleep(0)
      if (pathname === '/bytes') return respondWithWriter(request, text)
      return respondWith(request, pathname === '/pieces' ? (text.match(/.{1,1000}/gs) ?? []) : text, {})
    },
  })
})
afterAll(() => server.stop(true))

function respondWithWriter(request: Request, text: string): Response {
  const writer = openByteWriter()
  writer.text(text)
  return respondWith(request, writer.written(), {}, () => writer.release())
}

const ask = (path: string, size: number, method = 'GET') =>
  fetch(`${server.url.origin}${path}?size=${size}`, { method, headers: { 'Accept-Encoding': 'identity' } })

describe.each(['/text', '/pieces', '/bytes'])('a body of %s', (path) => {
  test.each(SIZES)('with %d characters has a length and arrives whole', async (size) => {
    const response = await ask(path, size)
    const content = contentOf(size)
    expect(response.headers.get('Transfer-Encoding')).toBeNull()
    expect(response.headers.get('Content-Length')).toBe(String(Buffer.byteLength(content)))
    expect((await response.text()) === content).toBe(true)
  })

  test.each(SIZES)('with %d characters has the same length for HEAD', async (size) => {
    const response = await ask(path, size, 'HEAD')
    expect(response.headers.get('Content-Length')).toBe(String(Buffer.byteLength(contentOf(size))))
    expect(await response.text()).toBe('')
  })

  test('is the same for many requests at once', async () => {
    const sizes = Array.from({ length: 100 }, (_, index) => 14_000 + 1000 * index)
    const texts = await Promise.all(sizes.map(async (size) => (await ask(path, size)).text()))
    expect(texts.every((text, index) => text === contentOf(sizes[index] ?? 0))).toBe(true)
  })

  test('can be read inside the process, while other bodies use the memory again', async () => {
    const request = new Request('http://localhost/')
    const responses = [20_000, 40_000, 60_000].map((size) => respondWithWriter(request, contentOf(size)))
    const texts = await Promise.all(
      responses.map(async (response, index) => {
        if (index === 0) return Buffer.from(await response.arrayBuffer()).toString()
        return index === 1 ? response.text() : (await response.blob()).text()
      }),
    )
    expect(texts.map((text, index) => text === contentOf([20_000, 40_000, 60_000][index] ?? 0))).toEqual([
      true,
      true,
      true,
    ])
  })
})

test('a client that closes the connection does no harm', async () => {
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const socket = connect(server.port ?? 0, '127.0.0.1')
      socket.on('error', () => {})
      socket.write('GET /bytes?size=3000000 HTTP/1.1\r\nHost: localhost\r\n\r\n')
      if (index % 2 === 0) await new Promise((resolve) => socket.once('data', resolve))
      socket.destroy()
    }),
  )
  expect(await (await ask('/bytes', 20_000)).text()).toBe(contentOf(20_000))
})
