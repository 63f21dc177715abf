/** Folders, connected entries, lists and deletion. See docs/reference/files.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { createClient } from '#testing/client'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const ABSENT = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const files = fileClient(service)
let record: string
beforeAll(async () => {
  record = await listClient(service).record()
})

const newRecord = () => listClient(service).record()
const folderOn = (record_id: string, members: object = {}) => ({
  object: 'people',
  record_id,
  file_type: 'folder',
  name: 'Contracts',
  ...members,
})
const connectedOn = (record_id: string, members: object = {}) => ({
  object: 'people',
  record_id,
  file_type: 'connected-file',
  storage_provider: 'dropbox',
  external_provider_file_id: 'id:1',
  ...members,
})
const get = (id: string) => service.request('GET', `/v2/files/${id}`)
const remove = (id: string) => service.request('DELETE', `/v2/files/${id}`)

describe('POST /v2/files', () => {
  test('200 with a folder', async () => {
    const { status, body } = await files.create(folderOn(record))
    expect([status, body]).toEqual([
      200,
      {
        data: {
          id: { workspace_id: service.workspaceId, file_id: expect.any(String) },
          object_id: expect.any(String),
          object_slug: 'people',
          record_id: record,
          storage_provider: 'relata',
          created_by_actor: { type: 'api-token', id: expect.any(String) },
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/),
          file_type: 'folder',
          name: 'Contracts',
          parent_folder_id: null,
        },
      },
    ])
    expect((await get(body.data.id.file_id)).body.data).toEqual({ ...body.data, has_children: false })
  })

  test('200 with a folder in a folder, also of the same name', async () => {
    const outer = await files.folder(record, 'Same')
    const { body } = await files.create(folderOn(record, { name: 'Same', parent_folder_id: outer.toUpperCase() }))
    expect(body.data.parent_folder_id).toBe(outer)
    expect((await get(outer)).body.data.has_children).toBe(true)
  })

  test.each(['connected-file', 'connected-folder'])('200 with a %s', async (file_type) => {
    const input = connectedOn(record, { file_type, storage_provider: 'microsoft-onedrive', microsoft_drive_id: 'd' })
    const { status, body } = await files.create(input)
    const { object: _, ...members } = input
    expect([status, body.data]).toEqual([200, expect.objectContaining({ ...members, record_id: record, url: null })])
    expect((await get(body.data.id.file_id)).body).toEqual(body)
    expect((await files.create(connectedOn(record))).body.data.microsoft_drive_id).toBeNull()
  })

  test('200 with the address at the provider: the one that was given, else the one of the id', async () => {
    const urlOf = async (members: object) => (await files.create(connectedOn(record, members))).body.data.url
    const url = 'https://www.dropbox.com/scl/fi/1/Offer.pdf?rlkey=2'
    expect(await urlOf({ url })).toBe(url)
    expect(await urlOf({ url: null })).toBeNull()
    const google = { storage_provider: 'google-drive', external_provider_file_id: '1a b' }
    expect(await urlOf(google)).toBe('https://drive.google.com/open?id=1a%20b')
    const box = { storage_provider: 'box', external_provider_file_id: '7', file_type: 'connected-folder' }
    expect(await urlOf(box)).toBe('https://app.box.com/folder/7')
  })

  test.each([
    'http://x.com/a',
    'javascript:alert(1)',
    'https://a b.com',
    'https://user@x.com/',
    'https://',
    'https://x.com/<script>',
    `https://x.com/${'a'.repeat(2000)}`,
  ])('400 for the address %p', async (url) => {
    const { status, body } = await files.create(connectedOn(record, { url }))
    expect([status, body.code]).toEqual([400, 'validation_type'])
  })

  test('400 for a parent that is no folder of this record', async () => {
    const elsewhere = await files.folder(await newRecord())
    const file = await files.file(record)
    const { body } = await files.create(connectedOn(record, { file_type: 'connected-folder' }))
    for (const parent_folder_id of [elsewhere, file, body.data.id.file_id, ABSENT]) {
      const answer = await files.create(folderOn(record, { parent_folder_id }))
      expect([answer.status, answer.body.code]).toEqual([400, 'value_not_found'])
      const upload = await files.upload(record, { texts: { parent_folder_id } })
      expect([upload.status, upload.body.code]).toEqual([400, 'value_not_found'])
    }
  })

  test('400 for an unknown object and record, and a record of another object', async () => {
    for (const input of [{ object: 'nothing' }, { record_id: ABSENT }, { object: 'companies' }]) {
      const answer = await files.create({ ...folderOn(record), ...input })
      expect([answer.status, answer.body.code]).toEqual([400, 'value_not_found'])
    }
  })

  const wrong: [string, object][] = [
    ['without a type', { file_type: undefined }],
    ['of a type that only an upload creates', { file_type: 'file' }],
    ['without a name', { name: undefined }],
    ['with an empty name', { name: '' }],
    ['with a long name', { name: 'x'.repeat(256) }],
    ['with a name that is a number', { name: 1 }],
    ['with a folder id that is no UUID', { parent_folder_id: 'x' }],
    ['connected without an id', connectedOn(ABSENT, { external_provider_file_id: undefined })],
    ['connected to an unknown provider', connectedOn(ABSENT, { storage_provider: 'relata' })],
  ]
  test.each(wrong)('400 for an entry %s', async (_, members) => {
    const answer = await files.create({ ...folderOn(record), ...members })
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_type'])
  })
})

describe('GET /v2/files', () => {
  test('200 with the entries of all levels in the order of their creation, in pages', async () => {
    const own = await newRecord()
    const outer = await files.folder(own, 'outer')
    const inner = await files.folder(own, 'inner', outer)
    await files.file(own, { name: 'a', texts: { parent_folder_id: inner } })
    await files.create(connectedOn(own, { external_provider_file_id: 'b' }))
    await files.file(own, { name: 'c' })
    expect(await files.names(own)).toEqual(['outer', 'inner', 'a', 'b', 'c'])
    expect(await files.names(own, `&parent_folder_id=${inner}`)).toEqual(['a'])
    expect(await files.names(own, '&parent_folder_id=null')).toEqual(['outer', 'b', 'c'])
    expect(await files.names(own, '&storage_provider=dropbox')).toEqual(['b'])
    expect(await files.names(own, '&storage_provider=box')).toEqual([])
    expect(await files.names(own, '&storage_provider=relata')).toEqual(['outer', 'inner', 'a', 'c'])
    expect(await files.names(own, `&storage_provider=relata&parent_folder_id=${outer}`)).toEqual(['inner'])
    expect(await files.names(own, `&storage_provider=dropbox&parent_folder_id=${outer}`)).toEqual([])

    const pages: string[][] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = `object=people&record_id=${own}&limit=2${cursor && `&cursor=${cursor}`}`
      const { body } = await service.request('GET', `/v2/files?${query}`)
      pages.push(body.data.map((each: Record<string, string>) => each.name ?? each.external_provider_file_id))
      cursor = body.pagination.next_cursor
    }
    expect(pages).toEqual([['outer', 'inner'], ['a', 'b'], ['c']])
  })

  test('200 with nothing for a record without files, of another object, and that does not exist', async () => {
    expect(await files.names(await newRecord())).toEqual([])
    expect(await files.names(ABSENT)).toEqual([])
    expect(await fileClient(service, 'companies').names(record)).toEqual([])
    const folder = await files.folder(await newRecord())
    await files.folder(record, 'inner', await files.folder(record))
    expect(await files.names(record, `&parent_folder_id=${folder}`)).toEqual([])
  })

  test.each([
    'object=people',
    `record_id=${ABSENT}`,
    'object=people&record_id=x',
    `object=nothing&record_id=${ABSENT}`,
    ...['limit=0', 'limit=201', 'cursor=x', 'storage_provider=ftp', 'storage_provider=', 'parent_folder_id=x'].map(
      (each) => `object=people&record_id=${ABSENT}&${each}`,
    ),
  ])('400 for %s', async (query) => {
    expect((await service.request('GET', `/v2/files?${query}`)).status).toBe(400)
  })
})

describe('DELETE /v2/files/{file_id}', () => {
  test('200 for a folder, with all that it contains', async () => {
    const own = await newRecord()
    const outer = await files.folder(own, 'outer')
    const inner = await files.folder(own, 'inner', outer)
    const file = await files.file(own, { name: 'a', texts: { parent_folder_id: inner } })
    await files.file(own, { name: 'b' })
    const { status, body } = await remove(outer)
    expect([status, body]).toEqual([200, {}])
    expect(await files.names(own)).toEqual(['b'])
    for (const id of [outer, inner, file]) expect((await get(id)).status).toBe(404)
    expect((await remove(outer)).status).toBe(404)
  })

  test('200 for a connected entry', async () => {
    const { body } = await files.create(connectedOn(record))
    expect((await remove(body.data.id.file_id)).status).toBe(200)
  })

  test('no file stays in a folder that is deleted at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const own = await newRecord()
      const outer = await files.folder(own)
      const inner = await files.folder(own, 'inner', outer)
      const [upload, deletion] = await Promise.all([
        files.upload(own, { texts: { parent_folder_id: inner } }),
        remove(outer),
      ])
      expect([201, 400]).toContain(upload.status)
      expect(deletion.status).toBe(200)
      expect(await files.names(own)).toEqual([])
    }
  })
})

test('404 for a file that does not exist and of another workspace, 400 for an id that is no UUID', async () => {
  const file = await files.file(record)
  const other = createClient(service.app, (await service.anotherWorkspace()).key)
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/download'],
    ['DELETE', ''],
  ] as const) {
    expect((await service.request(method, `/v2/files/${ABSENT}${path}`)).status).toBe(404)
    expect((await other(method, `/v2/files/${file}${path}`)).status).toBe(404)
    expect((await service.request(method, `/v2/files/x${path}`)).status).toBe(400)
  }
  expect((await other('POST', '/v2/files', folderOn(record))).body.code).toBe('value_not_found')
  expect((await other('GET', `/v2/files?object=people&record_id=${record}`)).body.data).toEqual([])
  expect((await get(file)).status).toBe(200)
})

test('folders with the same contents are deleted at once without a deadlock', async () => {
  const contents = Array.from({ length: 12 }, (_, index) => `content ${index}`)
  const folders = await Promise.all(
    [contents, contents.toReversed(), contents.toSorted()].map(async (each) => {
      const folder = await files.folder(record)
      for (const content of each) await files.file(record, { content, texts: { parent_folder_id: folder } })
      return folder
    }),
  )
  const answers = await Promise.all(folders.map((folder) => service.request('DELETE', `/v2/files/${folder}`)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const [statistics] = await service.db.sql`select deadlocks from pg_stat_database where datname = current_database()`
  expect(statistics).toEqual({ deadlocks: '0' })
})
