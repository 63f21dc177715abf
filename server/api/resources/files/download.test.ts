/** See docs/reference/files.md (Download). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { fileClient, type Parts } from '#testing/files'
import { listClient } from '#testing/lists'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const FIVE_MINUTES = 300_000_000

const service = useTestService()
const files = fileClient(service)
let record: string
beforeAll(async () => {
  record = await listClient(service).record()
})

const urlOf = async (parts: Parts) => files.url(await files.file(record, parts))
const fetchUrl = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.request(method, path, undefined, { key: null, headers })

describe('GET /v2/files/{file_id}/download', () => {
  test('302 to a URL that needs no token and works for five minutes', async () => {
    const id = await files.file(record, { content: 'abc' })
    const now = Date.now() * 1000
    service.setNow(now)
    const { status, headers } = await service.request('GET', `/v2/files/${id}/download`)
    expect([status, headers.get('location')]).toEqual([302, expect.stringMatching(/^http:\/\/localhost:8080\/files\//)])
    const path = new URL(headers.get('location') ?? '').pathname
    service.setNow(now + FIVE_MINUTES - 2_000_000)
    expect([(await fetchUrl(path)).status, (await fetchUrl(path)).body]).toEqual([200, 'abc'])
    service.setNow(now + FIVE_MINUTES + 2_000_000)
    expect((await fetchUrl(path)).status).toBe(404)
    service.setNow()
  })

  test('400 for folders and connected entries', async () => {
    const input = { object: 'people', record_id: record, storage_provider: 'box', external_provider_file_id: '1' }
    const { body } = await files.create({ ...input, file_type: 'connected-file' })
    for (const id of [await files.folder(record), body.data.id.file_id]) {
      const answer = await service.request('GET', `/v2/files/${id}/download`)
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_type'])
    }
  })

  test('404 for a URL that was changed, is signed by another workspace, or is no URL of ours', async () => {
    const path = await urlOf({})
    const [payload = '', signature = ''] = path.slice('/files/'.length).split('.')
    const members = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const withMembers = (changed: unknown) => Buffer.from(JSON.stringify(changed)).toString('base64url')
    const other = await service.anotherWorkspace()
    const wrong = [
      payload,
      `${payload}.`,
      `${payload}.${signature.slice(1)}`,
      `.${signature}`,
      `${withMembers([...members.slice(0, 4), 9e15])}.${signature}`,
      `${withMembers([other.workspaceId, ...members.slice(1)])}.${signature}`,
      ...['x', 'a', '-'].map((each) => `${withMembers([each.repeat(36), ...members.slice(1)])}.${signature}`),
      ...[{}, null, [], 1, [1, 2, 3, 4, 5]].map((value) => `${withMembers(value)}.${signature}`),
      'x'.repeat(10_000),
      '%00',
    ]
    for (const token of wrong) expect([token, (await fetchUrl(`/files/${token}`)).status]).toEqual([token, 404])
  })
})

describe('GET /files/{token}', () => {
  const types: [string, Parts, string, RegExp][] = [
    ['an image', { content: PNG, name: 'a.html', type: 'text/html' }, 'image/png', /^inline/],
    ['a GIF', { content: 'GIF89a\x01\x00\x01\x00', name: 'a.gif' }, 'image/gif', /^inline/],
    ['a video', { content: '\0\0\0\x18ftypisom\0\0\0\0isommp42', name: 'a.mp4' }, 'video/mp4', /^attachment/],
    ['no bytes', { content: '', type: 'text/html' }, 'application/octet-stream', /^attachment/],
    ['a PDF', { content: '%PDF-1.7\n', name: 'a.pdf' }, 'application/pdf', /^inline/],
    [
      'HTML',
      { content: '<html><script>alert(1)</script>', name: 'a.png', type: 'image/png' },
      'application/octet-stream',
      /^attachment/,
    ],
    [
      'SVG',
      { content: '<svg xmlns="http://www.w3.org/2000/svg"/>', type: 'image/svg+xml' },
      'xml|octet-stream',
      /^attachment/,
    ],
    ['text', { content: 'a,b', type: 'text/csv' }, 'application/octet-stream', /^attachment/],
  ]
  test.each(types)('200 with %s by the type of its bytes', async (_, parts, type, disposition) => {
    const { headers } = await fetchUrl(await urlOf(parts))
    expect(headers.get('content-type')).toMatch(new RegExp(type))
    expect(headers.get('content-disposition')).toMatch(disposition)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*; sandbox$/)
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
  })

  test('200 with the name by RFC 6266', async () => {
    const { headers } = await fetchUrl(await urlOf({ name: 'Zahlen "1"; – 数.csv' }))
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="Zahlen _1__ _ _.csv"; filename*=UTF-8''Zahlen%20%221%22%3B%20%E2%80%93%20%E6%95%B0.csv`,
    )
  })

  const ranges: [string, number, string, string | null][] = [
    ['bytes=0-2', 206, 'abc', 'bytes 0-2/10'],
    ['bytes=7-', 206, 'hij', 'bytes 7-9/10'],
    ['bytes=7-99', 206, 'hij', 'bytes 7-9/10'],
    ['bytes=-3', 206, 'hij', 'bytes 7-9/10'],
    ['bytes=-99', 206, 'abcdefghij', 'bytes 0-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=99999999999999999999999-', 416, '', 'bytes */10'],
    ['bytes=5-2', 200, 'abcdefghij', null],
    ['bytes=0-1,3-4', 200, 'abcdefghij', null],
    ['lines=0-1', 200, 'abcdefghij', null],
    ['bytes=', 200, 'abcdefghij', null],
    [`bytes=${'0'.repeat(1000)}-1`, 200, 'abcdefghij', null],
  ]
  test.each(ranges)('Range %s: %i', async (range, status, content, contentRange) => {
    const answer = await fetchUrl(await urlOf({ content: 'abcdefghij' }), { Range: range })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange])
    if (status !== 416) expect(answer.body).toBe(content)
  })

  test('206 and 200 by If-Range, 304 by If-None-Match', async () => {
    const path = await urlOf({ content: 'abcdefghij' })
    const etag = (await fetchUrl(path)).headers.get('etag') ?? ''
    const statusOf = async (headers: Record<string, string>) => (await fetchUrl(path, headers)).status
    const Range = 'bytes=0-2'
    expect(await statusOf({ Range, 'If-Range': etag })).toBe(206)
    expect(await statusOf({ Range, 'If-Range': '"other"' })).toBe(200)
    expect(await statusOf({ Range, 'If-Range': 'Sun, 22 Nov 2026 00:00:00 GMT' })).toBe(200)
    expect(await statusOf({ 'If-None-Match': `"x", W/${etag}` })).toBe(304)
    expect(await statusOf({ 'If-None-Match': '"x"' })).toBe(200)
    expect(await statusOf({ Range: 'bytes=0-', 'If-None-Match': etag })).toBe(304)
  })

  test('200 for HEAD, which has no ranges', async () => {
    const path = await urlOf({ content: 'abcdefghij' })
    const head = new Request(`http://localhost${path}`, { method: 'HEAD', headers: { Range: 'bytes=0-2' } })
    const { status, headers } = await service.app.handle(head)
    expect([status, headers.get('content-length'), headers.get('content-range')]).toEqual([200, '10', null])
  })

  test('200 for an empty file, 416 for a range of it', async () => {
    const path = await urlOf({ content: '' })
    const { status, body, headers } = await fetchUrl(path)
    expect([status, body, headers.get('content-length')]).toEqual([200, '', '0'])
    expect((await fetchUrl(path, { Range: 'bytes=0-' })).status).toBe(416)
  })
})

describe('the console', () => {
  test('uploads through the gateway, and shows files in a browser', async () => {
    const bob = await signedIn(service, { [service.workspaceId]: 'member' })
    const id = await files.file(record, { content: PNG })
    const path = `/console/api/workspaces/${service.workspaceId}`
    const shown = await bob.ask('GET', `${path}/files/${id}/content`)
    expect([shown.status, shown.headers.get('location')]).toEqual([302, expect.stringMatching(/^\/files\//)])
    expect((await fetchUrl(shown.headers.get('location') ?? '')).headers.get('content-type')).toBe('image/png')
    const { body } = await bob.ask('GET', `${path}/storage`)
    const [row] = await service.db
      .sql`select count(*)::int as files, sum(content_size)::int as bytes from relata.files where file_type = 'file'`
    expect(body.data.files).toBe(Number(row?.files))
    expect(body.data.bytes).toBeLessThanOrEqual(Number(row?.bytes))
    expect(body.data.bytes).toBeGreaterThan(0)
    const other = await service.anotherWorkspace()
    expect((await bob.ask('GET', `/console/api/workspaces/${other.workspaceId}/storage`)).status).toBe(404)
    expect((await bob.ask('GET', `${path}/files/${record}/content`)).status).toBe(404)
  })
})
