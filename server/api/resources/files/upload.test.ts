/** See docs/reference/files.md (Upload). */

import { beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { deleteUnreferenced } from '#crm/blobs/blob-store'
import { fileClient, sendUpload, uploadBody } from '#testing/files'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { captureLog } from '#testing/captured-log'

const LIMIT = 100_000
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const service = useTestService({ upload: { file: LIMIT, idleMs: 200, totalMs: 400 } })
const files = fileClient(service)
let record: string
beforeAll(async () => {
  record = await listClient(service).record()
})

const temporaries = () => readdir(join(service.filesFolder, 'temporary'))
const storedBytes = async () => {
  const rows = await service.db.sql`select references_count from relata.blobs`
  return rows.map(({ references_count }) => Number(references_count)).toSorted()
}
const read = async (id: string) => (await service.request('GET', await files.url(id), undefined, { key: null })).body

/** Sends a raw body, in one chunk or as a stream. */
const send = (body: BodyInit, headers: Record<string, string> = {}) =>
  service.app.handle(
    new Request('http://localhost/v2/files/upload', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.key}`,
        'Content-Type': 'multipart/form-data; boundary=b',
        ...headers,
      },
      body,
    }),
  )
const partOf = (name: string, content: string, headers = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${headers}\r\n\r\n${content}\r\n`
const texts = () => partOf('object', 'people') + partOf('record_id', record)

describe('POST /v2/files/upload', () => {
  test.each([true, false])('201 with a file, the file first: %p', async (isFileFirst) => {
    const parent_folder_id = await files.folder(record)
    const parts = {
      content: 'a,b',
      name: 'Zahlen – 数.csv',
      type: 'text/csv',
      texts: { parent_folder_id },
      isFileFirst,
    }
    const { status, body } = await files.upload(record, parts)
    expect([status, body.data]).toEqual([
      201,
      expect.objectContaining({
        file_type: 'file',
        name: 'Zahlen – 数.csv',
        content_type: 'text/csv',
        content_size: 3,
        storage_provider: 'relata',
        parent_folder_id,
        record_id: record,
      }),
    ])
    expect(await read(body.data.id.file_id)).toBe('a,b')
    expect(await temporaries()).toEqual([])
  })

  test('201 with the type of the part, or of the bytes', async () => {
    const typeOf = async (type: string, content: string | Uint8Array) =>
      (await files.upload(record, { type, content })).body.data.content_type
    expect(await typeOf('image/svg+xml', PNG)).toBe('image/svg+xml')
    expect(await typeOf('', PNG)).toBe('image/png')
    expect(await typeOf('', 'text')).toBe('application/octet-stream')
    const untyped = `${partOf('file', '%PDF-1.4\n', '; filename="a.pdf"')}${texts()}--b--\r\n`
    expect((await (await send(untyped)).json()).data.content_type).toBe('application/pdf')
  })

  test('201 for an empty file, and for the largest one', async () => {
    expect((await files.upload(record, { content: '' })).body.data.content_size).toBe(0)
    const largest = await files.upload(record, { content: 'x'.repeat(LIMIT) })
    expect([largest.status, largest.body.data.content_size]).toEqual([201, LIMIT])
  })

  test('201 without the folders of a name', async () => {
    const body = `${partOf('file', 'x', '; filename="../../etc/passwd"')}${texts()}--b--\r\n`
    expect((await (await send(body)).json()).data.name).toBe('passwd')
  })

  test('201 with parameters as .NET writes them', async () => {
    const text = (name: string, content: string) =>
      `--b\r\nContent-Disposition: form-data; name=${name}\r\n\r\n${content}\r\n`
    const nameFrom = async (parameters: string) => {
      const file = `--b\r\nContent-Disposition: form-data; name=file; ${parameters}\r\n\r\nx\r\n`
      return (await (await send(`${text('object', 'people')}${text('record_id', record)}${file}--b--`)).json()).data
        .name
    }
    expect(await nameFrom("filename=a.txt; filename*=utf-8''a.txt")).toBe('a.txt')
    expect(await nameFrom(`filename="=?utf-8?B?w6kudHh0?="; filename*=utf-8''x%2F%C3%A9.txt`)).toBe('é.txt')
    expect(await nameFrom("filename=b.txt; filename*=utf-8''%FF")).toBe('b.txt')
  })

  test('413 for a larger file, whole and as a stream without a length', async () => {
    for (const size of [LIMIT + 1, 10 * LIMIT]) {
      const { bytes } = await uploadBody({ content: 'x'.repeat(size), texts: { object: 'people', record_id: record } })
      const { status, body } = await files.upload(record, { content: 'x'.repeat(size) })
      expect([status, body.code]).toEqual([413, 'validation_type'])
      const type = (await uploadBody({})).type
      expect((await send(streamOf(bytes), { 'Content-Type': type })).status).toBeOneOf([400, 413])
    }
    const start = Buffer.from(partOf('file', 'x'.repeat(LIMIT + 1000), '; filename="a"'))
    expect((await send(streamOf(start))).status).toBe(413)
    expect(await temporaries()).toEqual([])
  })

  const malformed: [string, () => BodyInit][] = [
    ['no body', () => ''],
    ['no parts', () => '--b--\r\n'],
    ['bytes without parts', () => 'x'.repeat(1000)],
    ['no end', () => partOf('file', 'x', '; filename="a"') + texts()],
    [
      'no end of the file',
      () => `${texts()}--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nxxx`,
    ],
    ['no file', () => `${texts()}--b--\r\n`],
    ['a file that is a text', () => `${partOf('file', 'x')}${texts()}--b--\r\n`],
    ['a file without a name', () => `${partOf('file', 'x', '; filename=""')}${texts()}--b--\r\n`],
    ['a long name', () => `${partOf('file', 'x', `; filename="${'x'.repeat(256)}"`)}${texts()}--b--\r\n`],
    ['two files', () => `${partOf('file', 'x', '; filename="a"').repeat(2)}${texts()}--b--\r\n`],
    ['many texts', () => `${partOf('x', 'y').repeat(100)}--b--\r\n`],
    ['many files', () => `${partOf('x', 'y', '; filename="z"').repeat(100)}--b--\r\n`],
    ['a long text', () => `${partOf('object', 'x'.repeat(2000))}--b--\r\n`],
    ['a wrong id', () => `${partOf('file', 'x', '; filename="a"')}${partOf('record_id', 'x')}--b--\r\n`],
    ['NUL in a text', () => `${partOf('file', 'x', '; filename="a"')}${texts()}${partOf('object', '\0')}--b--\r\n`],
    ['a broken header', () => `--b\r\n\0\0\0: \r\n\r\n${texts()}--b--\r\n`],
  ]
  test.each(malformed)('400 for %s', async (_, body) => {
    const before = await storedBytes()
    const response = await send(body())
    const { code } = await response.json()
    expect([response.status, code]).toEqual([400, 'validation_type'])
    expect([await temporaries(), await storedBytes()]).toEqual([[], before])
  })

  test('400 for a content type without a boundary', async () => {
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      `multipart/form-data; boundary=${'b'.repeat(1000)}`,
    ])
      expect((await send(texts(), { 'Content-Type': type })).status).toBe(400)
  })

  test('415 for JSON and for other forms', async () => {
    for (const type of ['application/json', 'multipart/mixed; boundary=b', 'application/x-www-form-urlencoded', ''])
      expect((await send('{}', { 'Content-Type': type })).status).toBe(415)
  })

  test('400 for names of members that objects inherit', async () => {
    const body = `${partOf('__proto__', 'x')}${partOf('constructor', 'y')}${partOf('file', 'x', '; filename="a"')}--b--\r\n`
    expect((await send(body)).status).toBe(400)
  })

  test('408 for a body that stops, and for one that never ends, without a connection of the database', async () => {
    const silent = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from(texts())) })
    const endless = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(partOf('file', 'x', '; filename="a"').slice(0, -2))),
      pull: (controller) => Bun.sleep(20).then(() => controller.enqueue(Buffer.from('y'))),
    })
    const uploads = [silent, endless].map((body) => send(body))
    expect(await Promise.all(uploads.map(async (upload) => (await upload).status))).toEqual([408, 408])
    expect(await temporaries()).toEqual([])
  })

  test('400 for a body that breaks off', async () => {
    const broken = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(partOf('file', 'xxx', '; filename="a"'))),
      pull: (controller) => controller.error(new DOMException('The connection was closed.', 'AbortError')),
    })
    expect((await send(broken)).status).toBe(400)
    expect(await temporaries()).toEqual([])
  })

  test('401 without a key and 403 without the scope, before the body is read', async () => {
    const headers = { Authorization: '' }
    expect((await send(streamOf(Buffer.from('x')), headers)).status).toBe(401)
    const key = await service.keyWith(['file:read', 'object_configuration:read', 'record_permission:read'])
    expect((await files.upload(record, {}, { key })).status).toBe(403)
  })

  test('201 once for retries with an idempotency key, 409 for another file', async () => {
    const own = await listClient(service).record()
    const options = { headers: { 'Idempotency-Key': 'upload-1' } }
    const first = await files.upload(own, { content: 'once' }, options)
    const again = await files.upload(own, { content: 'once' }, options)
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await files.names(own)).toEqual(['x.txt'])
    for (const parts of [{ content: 'other' }, { content: 'once', name: 'y.txt' }])
      expect((await files.upload(own, parts, options)).status).toBe(409)
    const twoAtOnce = ['a', 'a'].map(() => files.upload(own, {}, { headers: { 'Idempotency-Key': 'upload-2' } }))
    const statuses = (await Promise.all(twoAtOnce)).map(({ status }) => status)
    expect(statuses).toContain(201)
    expect((await files.names(own)).length).toBe(2)
  })

  test('the same bytes are stored once, and are deleted with their last file', async () => {
    const [one, other] = [
      await files.file(record, { content: 'shared' }),
      await files.file(record, { content: 'shared' }),
    ]
    const references = async () => (await storedBytes()).filter((count) => count !== 1)
    expect(await references()).toContain(2)
    await service.request('DELETE', `/v2/files/${one}`)
    await deleteUnreferenced(service.appContext, 0)
    expect(await read(other)).toBe('shared')
    const url = await files.url(other)
    await service.request('DELETE', `/v2/files/${other}`)
    expect((await service.request('GET', url, undefined, { key: null })).status).toBe(404)
    await deleteUnreferenced(service.appContext, 3600)
    expect(await storedBytes()).toContain(0)
    await deleteUnreferenced(service.appContext, 0)
    expect(await storedBytes()).not.toContain(0)
    expect(await read(await files.file(record, { content: 'shared' }))).toBe('shared')
  })
})

test('503 and no half file when the disk is full after some bytes, and 201 when it has space again', async () => {
  const before = await storedBytes()
  const parts = { content: 'x'.repeat(90_000), texts: { object: 'people', record_id: record } }
  const probe = await open(import.meta.path)
  const write = spyOn(Object.getPrototypeOf(probe), 'write')
  await probe.close()
  for (const code of ['ENOSPC', 'EDQUOT']) {
    write.mockImplementationOnce(() => Promise.resolve({ bytesWritten: 1_000 }))
    write.mockImplementationOnce(() => Promise.reject(Object.assign(new Error('full'), { code })))
    const { status, body } = await captureLog(() => sendUpload(service.request, parts))
    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect([await temporaries(), await storedBytes()]).toEqual([[], before])
  }
  write.mockRestore()
  expect((await sendUpload(service.request, parts)).status).toBe(201)
})

const streamOf = (bytes: Uint8Array): ReadableStream =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 16_384) controller.enqueue(bytes.subarray(at, at + 16_384))
      controller.close()
    },
  })

describe('an image of a note', () => {
  const people = (members: object) => ({
    parent_object: 'people',
    title: '',
    format: 'markdown',
    content: '',
    ...members,
  })
  const note = async (parent_record_id: string, content = '') =>
    (await service.request('POST', '/v2/notes', { data: people({ parent_record_id, content }) })).body.data.id.note_id
  const image = (note_id: string, parts = {}) =>
    files.file(record, { content: PNG, name: 'a.png', texts: { note_id }, ...parts })
  const markdown = (id: string) => `![a.png](/v2/files/${id}/download)`
  const status = async (id: string) => (await service.request('GET', `/v2/files/${id}`)).status

  test('201, and only the list of the note has it', async () => {
    const note_id = await note(record)
    const id = await image(note_id)
    const { body } = await service.request('GET', `/v2/files/${id}`)
    expect([body.data.note_id, body.data.content_type]).toEqual([note_id, 'image/png'])
    const list = (query: string) =>
      service.request('GET', `/v2/files?object=people&record_id=${record}&limit=200${query}`)
    const ids = async (query: string) => (await list(query)).body.data.map((file: typeof body.data) => file.id.file_id)
    expect(await ids(`&note_id=${note_id}`)).toEqual([id])
    expect(await ids('')).not.toContain(id)
    expect(await ids('&parent_folder_id=null')).not.toContain(id)
  })

  test('400 for a file that is no image, and for a note of another record', async () => {
    const note_id = await note(record)
    const text = await files.upload(record, { content: 'x', type: 'image/png', texts: { note_id } })
    expect([text.status, text.body.code]).toEqual([400, 'validation_type'])
    const other = await note(await listClient(service).record())
    for (const unknown of [other, crypto.randomUUID()]) {
      const { status, body } = await files.upload(record, { content: PNG, texts: { note_id: unknown } })
      expect([status, body.code]).toEqual([400, 'value_not_found'])
    }
  })

  test('a note keeps the image as markdown, and takes it along when it is deleted', async () => {
    const note_id = await note(record)
    const id = await image(note_id)
    const own = await files.file(record, { content: PNG })
    const content = `Plan\n${markdown(id)}\n${markdown(own)}`
    const { body } = await service.request('PATCH', `/v2/notes/${note_id}`, { data: { format: 'markdown', content } })
    expect([body.data.content_markdown, body.data.content_plaintext]).toEqual([content, content])
    expect((await service.request('DELETE', `/v2/notes/${note_id}`)).status).toBe(200)
    expect([await status(id), await status(own)]).toEqual([404, 200])
  })

  test('another note of the record that shows the image keeps it', async () => {
    const first = await note(record)
    const id = await image(first)
    const second = await note(record, markdown(id))
    await service.request('DELETE', `/v2/notes/${first}`)
    expect((await service.request('GET', `/v2/files/${id}`)).body.data.note_id).toBe(second)
    await service.request('DELETE', `/v2/notes/${second}`)
    expect(await status(id)).toBe(404)
  })
})
