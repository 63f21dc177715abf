import { beforeAll, expect, test } from 'bun:test'
import { fileClient } from '#testing/files'
import { useTestService } from '#testing/use-service'

const service = useTestService()
beforeAll(async () => {
  const things = { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' }
  await service.request('POST', '/v2/objects', { data: things })
})

async function createRecord(object = 'companies'): Promise<string> {
  const { body } = await service.request('POST', `/v2/objects/${object}/records`, { data: { values: {} } })
  return body.data.id.record_id
}
async function createNote(record: string, title: string, object = 'companies') {
  const data = { parent_object: object, parent_record_id: record, title, format: 'plaintext', content: '' }
  return service.request('POST', '/v2/notes', { data })
}
const titles = async (record: string, object = 'companies') =>
  (await service.request('GET', `/v2/notes?parent_object=${object}&parent_record_id=${record}`)).body.data.map(
    ({ title }: { title: string }) => title,
  )
const eventTypes = async () => (await service.events()).map(({ event_type }) => event_type)

test('deleting a record deletes its notes, without events for them', async () => {
  const [gone, stays] = [await createRecord(), await createRecord()]
  for (const record of [gone, stays]) await createNote(record, 'x')
  await service.events()
  await service.request('DELETE', `/v2/objects/companies/records/${gone}`)
  expect([await titles(gone), await titles(stays)]).toEqual([[], ['x']])
  expect(await eventTypes()).toEqual(['record.deleted'])
})

test('merging two records moves the notes of both to the new record', async () => {
  const [primary, secondary] = [await createRecord(), await createRecord()]
  await createNote(secondary, '1')
  const { body: note } = await createNote(primary, '2')
  await service.events()
  const data = { primary_record_id: primary, secondary_record_id: secondary }
  const { body } = await service.request('POST', '/v2/objects/companies/records/merge', { data })
  const merged = body.data.new_record_id
  expect([await titles(primary), await titles(merged)]).toEqual([[], ['1', '2']])
  const { body: moved } = await service.request('GET', `/v2/notes/${note.data.id.note_id}`)
  expect(moved.data).toEqual({ ...note.data, parent_record_id: merged })
  expect(await eventTypes()).toEqual(['record.merged', 'record.merged'])
  const refused = await createNote(primary, '3')
  expect([refused.status, refused.body.merged_into]).toEqual([404, merged])
})

test('deleting an object deletes the notes on its records', async () => {
  const record = await createRecord('things')
  const { body } = await createNote(record, 'x', 'things')
  await service.request('DELETE', '/v2/objects/things')
  expect((await service.request('GET', `/v2/notes/${body.data.id.note_id}`)).status).toBe(404)
  expect((await service.request('GET', '/v2/notes?search=x')).body.data.length).toBe(1)
})

test('a note that is created while its record is deleted does not remain', async () => {
  for (let round = 0; round < 10; round++) {
    const record = await createRecord()
    const [note] = await Promise.all([
      createNote(record, 'y'),
      service.request('DELETE', `/v2/objects/companies/records/${record}`),
    ])
    expect([200, 404]).toContain(note.status)
    expect(await titles(record)).toEqual([])
  }
})

test('a deleted record takes its files along, also one that is uploaded at the same moment', async () => {
  const files = fileClient(service, 'companies')
  for (let round = 0; round < 5; round++) {
    const record = await createRecord()
    const parent_folder_id = await files.folder(record)
    await files.file(record, { texts: { parent_folder_id } })
    const [upload] = await Promise.all([
      files.upload(record, { texts: { parent_folder_id } }),
      service.request('DELETE', `/v2/objects/companies/records/${record}`),
    ])
    expect([201, 400]).toContain(upload.status)
    expect(await files.names(record)).toEqual([])
    await service.request('DELETE', `/v2/objects/companies/records/${record}?permanent=true`)
  }
  const [used] = await service.db.sql`select count(*)::int as count from relata.blobs where references_count > 0`
  expect(Number(used?.count)).toBe(0)
})

test('a merged record gets the files of both, in their folders', async () => {
  const files = fileClient(service, 'companies')
  const [primary, secondary] = [await createRecord(), await createRecord()]
  const parent_folder_id = await files.folder(secondary)
  await files.file(secondary, { name: 'inside', texts: { parent_folder_id } })
  await files.file(primary, { name: 'own' })
  const data = { primary_record_id: primary, secondary_record_id: secondary }
  const { body } = await service.request('POST', '/v2/objects/companies/records/merge', { data })
  const merged = body.data.new_record_id
  expect(await files.names(merged)).toEqual(['Folder', 'inside', 'own'])
  expect(await files.names(merged, `&parent_folder_id=${parent_folder_id}`)).toEqual(['inside'])
  expect(await files.names(secondary)).toEqual([])
})
