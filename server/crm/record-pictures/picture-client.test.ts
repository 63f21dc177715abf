/** See docs/reference/records.md (Pictures). */

import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { createTargetPolicy } from '#events/webhooks/send/target'
import { createPictureClient, iconsOf } from './picture-client'

const imageOf = (width: number, height = width) =>
  new Bun.Image(
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  ).resize(width, height)
const PNG = await imageOf(300, 150).png().bytes()
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

/** What the host answers by path. */
let answers: Record<string, () => Response> = {}
let requested: string[] = []
const host = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname } = new URL(request.url)
    requested.push(pathname)
    return answers[pathname]?.() ?? new Response(null, { status: 404 })
  },
})
afterAll(() => host.stop(true))
beforeEach(() => {
  answers = {}
  requested = []
})

const ORIGIN = `http://127.0.0.1:${host.port}`
const STOP = new AbortController().signal
const client = (totalMs?: number, allowPrivate = true) =>
  createPictureClient(createTargetPolicy({ allowPrivate }), {
    ...(totalMs !== undefined && { totalMs }),
    pageOf: () => `${ORIGIN}/`,
  })
const sent = (bytes: Uint8Array, status = 200) => new Response(new Uint8Array(bytes), { status })
const redirect = (Location: string) => () => new Response(null, { status: 302, headers: { Location } })
const page = (head: string) => () => new Response(`<html><head>${head}</head><body></body></html>`)

/** The width and height of what was found. */
async function sizeOf(found: Promise<Uint8Array | undefined>): Promise<[number, number, string] | undefined> {
  const bytes = await found
  if (bytes === undefined) return undefined
  const { width, height, format } = await new Bun.Image(bytes).metadata()
  return [width, height, format]
}
const fetchPicture = (path: string, by = client()) => sizeOf(by.fetchPicture(ORIGIN + path, STOP))

describe('fetchPicture', () => {
  test('a picture is made small and encoded anew, also behind redirects', async () => {
    answers = { '/a.png': () => sent(PNG), '/moved': redirect('/again'), '/again': redirect('/a.png#x') }
    expect(await fetchPicture('/a.png')).toEqual([192, 96, 'webp'])
    expect(await fetchPicture('/moved')).toEqual([192, 96, 'webp'])
  })

  test.each(['jpeg', 'webp', 'png'] as const)('%s is read; a small one keeps its size', async (format) => {
    const bytes = await imageOf(40)[format]().bytes()
    answers = { '/a': () => sent(bytes) }
    expect(await fetchPicture('/a')).toEqual([40, 40, 'webp'])
  })

  test('the largest PNG image in an icon is read', async () => {
    const images = [await imageOf(16).png().bytes(), await imageOf(64).png().bytes()]
    answers = {
      '/favicon.ico': () => sent(icoFileOf(images)),
      '/broken.ico': () => sent(icoFileOf([])),
    }
    expect(await fetchPicture('/favicon.ico')).toEqual([64, 64, 'webp'])
    expect(await fetchPicture('/broken.ico')).toBeUndefined()
  })

  test.each<[string, () => Response | Promise<Response>]>([
    ['a status other than 200', () => sent(PNG, 500)],
    ['an SVG image', () => new Response(SVG, { headers: { 'Content-Type': 'image/png' } })],
    ['a text', () => new Response('a picture')],
    ['an empty body', () => new Response('')],
    ['half of an image', () => sent(PNG.subarray(0, 60))],
    ['an image of a few pixels', async () => sent(await imageOf(8).png().bytes())],
    ['more than two megabytes', () => sent(Buffer.concat([PNG, Buffer.alloc(2_000_000)]))],
    ['a redirect without end', redirect('/x')],
    ['a redirect to another scheme', redirect('file:///etc/passwd')],
    ['a redirect to nowhere', redirect('http://')],
  ])('undefined for %s', async (_, answer) => {
    const response = await answer()
    answers = { '/x': () => response.clone() }
    expect(await fetchPicture('/x')).toBeUndefined()
  })

  test('undefined for private addresses, also behind a redirect, without a request', async () => {
    answers = { '/a.png': () => sent(PNG) }
    expect(await fetchPicture('/a.png', client(undefined, false))).toBeUndefined()
    for (const url of ['https://10.0.0.1/a.png', 'https://localhost/a.png', 'ftp://example.com/a', 'x'])
      expect([url, await client(undefined, false).fetchPicture(url, STOP)]).toEqual([url, undefined])
    expect(requested).toEqual([])
  })

  test('undefined for a host that does not answer in time, and after a stop', async () => {
    answers = { '/a.png': () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })) }
    expect(await fetchPicture('/a.png', client(50))).toBeUndefined()
    expect(await client().fetchPicture(`${ORIGIN}/a.png`, AbortSignal.abort())).toBeUndefined()
  })
})

describe('fetchLogo', () => {
  const logo = () => sizeOf(client().fetchLogo('example.com', STOP))

  test('the largest icon that the page names and the host has', async () => {
    answers = {
      '/': page('<link rel="icon" sizes="32x32" href="/32.png"><link rel=apple-touch-icon href=touch.png>'),
      '/32.png': () => sent(PNG),
    }
    expect(await logo()).toEqual([192, 96, 'webp'])
    expect(requested).toEqual(['/', '/touch.png', '/32.png'])
  })

  test('the favicon of a page that names none, or that is refused', async () => {
    answers = { '/favicon.ico': () => sent(PNG), '/': page('') }
    expect(await logo()).toEqual([192, 96, 'webp'])
    delete answers['/']
    expect(await logo()).toEqual([192, 96, 'webp'])
  })

  test('undefined without any; at most three named icons are requested', async () => {
    answers = { '/': page(['a', 'b', 'c', 'd', 'e'].map((name) => `<link rel=icon href=${name}>`).join('')) }
    expect(await logo()).toBeUndefined()
    expect(requested).toEqual(['/', '/a', '/b', '/c', '/favicon.ico'])
  })
})

test('icons of a page: without drawings and those in its body, the largest first', () => {
  const html = `<LINK REL="Shortcut Icon" HREF="/a.ico"><link rel="icon" type="image/svg+xml" href="b"><link rel="icon" href="c.svg?x">
    <link rel="apple-touch-icon-precomposed" href="../d.png"><link rel="icon" sizes="512x512" href="https://cdn.example.com/e.png#x">
    <link rel="mask-icon" href="f"><link rel="icon"><link rel="stylesheet" href="g"></head><body><link rel="icon" href="h.png" sizes="900x900">`
  expect(iconsOf(html, 'https://example.com/x/y')).toEqual([
    'https://cdn.example.com/e.png',
    'https://example.com/d.png',
    'https://example.com/a.ico',
  ])
  expect(iconsOf('<link rel="icon" href="'.repeat(10_000), 'https://example.com')).toEqual([])
})

/** A file of the type ICO with these images. */
function icoFileOf(images: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(6 + 16 * images.length)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(images.length, 4)
  let offset = header.length
  images.forEach((image, index) => {
    header.writeUInt32LE(image.length, 6 + 16 * index + 8)
    header.writeUInt32LE(offset, 6 + 16 * index + 12)
    offset += image.length
  })
  return Buffer.concat([header, ...images])
}
