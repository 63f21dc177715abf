/** Sends the writes of every resource twice with the same idempotency key. */

import { expect, test } from 'bun:test'
import { allOperations, isRead } from '#testing/operations'
import { attributeInput } from '#testing/attributes'
import { listInput } from '#testing/lists'
import { taskInput } from '#testing/tasks'
import { useTestService } from '#testing/use-service'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'

const service = useTestService()
let keys = 0

/** Sends a request twice with the same key, and expects the same answer twice. Returns that answer. */
async function twice(method: string, path: string, data?: unknown, key?: string) {
  const options = { headers: { 'Idempotency-Key': `every-${++keys}` }, ...(key === undefined ? {} : { key }) }
  const send = () => service.request(method, path, data === undefined ? undefined : { data }, options)
  const first = await send()
  const again = await send()
  const replayed = again.headers.get('Idempotent-Replayed')
  expect([path, again.status, again.body, replayed]).toEqual([path, first.status, first.body, 'true'])
  return first
}

async function done(method: string, path: string, data?: unknown) {
  const { status, body } = await twice(method, path, data)
  expect([method, path, status, body.message]).toEqual([method, path, 200, undefined])
  return body.data
}

test('a retry gets the same refusal from every operation', async () => {
  const memberKey = await service.memberKeyWith(READ_WRITE_SCOPES)
  for (const operation of await allOperations(service)) {
    if (isRead(operation)) continue
    // The operations of members refuse other tokens before they look for an earlier answer.
    const key = operation.template.startsWith('/v2/emails/sen') ? memberKey : undefined
    const { status } = await twice(operation.method, operation.path, {}, key)
    expect([operation.id, status]).not.toEqual([operation.id, 500])
  }
})

const things = '/v2/objects/things'

test('the data model changes once', async () => {
  await done('POST', '/v2/objects', { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' })
  await done('PATCH', things, { singular_noun: 'Object of desire' })
  for (const attribute of [
    { api_slug: 'code', is_unique: true },
    { api_slug: 'tags', type: 'select', is_multiselect: true },
    { api_slug: 'stage', type: 'status' },
    { api_slug: 'friends', type: 'record-reference', is_multiselect: true },
  ]) {
    const config = attribute.type === 'record-reference' ? { record_reference: { allowed_objects: ['people'] } } : {}
    await done('POST', `${things}/attributes`, attributeInput({ ...attribute, config }))
  }
  await done('PATCH', `${things}/attributes/code`, { title: 'Code' })
  const option = await done('POST', `${things}/attributes/tags/options`, { title: 'Red' })
  await done('PATCH', `${things}/attributes/tags/options/${option.id.option_id}`, { title: 'Blue' })
  await done('POST', `${things}/attributes/stage/statuses`, { title: 'New' })
  const { body } = await service.request('GET', `${things}/attributes/tags/options`)
  expect(body.data.map(({ title }: { title: string }) => title)).toEqual(['Blue'])
})

test('records are written once', async () => {
  const records = `${things}/records`
  const ids: string[] = []
  for (const code of ['a', 'b', 'c']) {
    const { id } = await done('POST', records, { values: { code, tags: ['Blue'], stage: 'New' } })
    ids.push(id.record_id)
  }
  const [first, second, third] = ids
  await done('PUT', `${records}?matching_attribute=code`, { values: { code: 'a' } })
  await done('PUT', `${records}?matching_attribute=code`, { values: { code: 'd' } })
  const friend = await done('POST', '/v2/objects/people/records', { values: {} })
  const friends = [{ target_object: 'people', target_record_id: friend.id.record_id }]
  await done('PATCH', `${records}/${first}`, { values: { friends } })
  await done('PUT', `${records}/${first}`, { values: { tags: [] } })
  await done('POST', `${records}/merge`, { primary_record_id: first, secondary_record_id: second })
  await done('DELETE', `${records}/${third}`)
  await done('POST', `${records}/${third}/restore`)
  await done('DELETE', `${records}/${third}?permanent=true`)
  const { body } = await service.request('POST', `${records}/query`, {})
  expect(body.data).toHaveLength(2)

  const taken = await twice('POST', records, { values: { code: 'd' } })
  expect([taken.status, taken.body.code]).toEqual([400, 'uniqueness_conflict'])
})

test('tasks are written once', async () => {
  const { body } = await service.request('POST', `${things}/records/query`, { limit: 1 })
  const task = await done('POST', '/v2/tasks', taskInput({ linked_records: [body.data[0].id.record_id] }))
  await done('PATCH', `/v2/tasks/${task.id.task_id}`, { is_completed: true })
  await done('DELETE', `/v2/tasks/${task.id.task_id}`)
  expect((await service.request('GET', '/v2/tasks')).body.data).toEqual([])
})

test('notes are written once', async () => {
  const company = await done('POST', '/v2/objects/companies/records', { values: {} })
  const parent = { parent_object: 'companies', parent_record_id: company.id.record_id }
  const { id } = await done('POST', '/v2/notes', { ...parent, title: 'x', format: 'markdown', content: '*x*' })
  await done('PATCH', `/v2/notes/${id.note_id}`, { title: 'y' })
  expect((await service.request('GET', '/v2/notes')).body.data).toHaveLength(1)
  await done('DELETE', `/v2/notes/${id.note_id}`)
})

test('files are written once', async () => {
  const record_id = (await done('POST', '/v2/objects/companies/records', { values: {} })).id.record_id
  const headers = { 'Idempotency-Key': 'every-folder' }
  const input = { object: 'companies', record_id, file_type: 'folder', name: 'x' }
  for (const _ of [1, 2]) expect((await service.request('POST', '/v2/files', input, { headers })).status).toBe(200)
  const { data } = (await service.request('GET', `/v2/files?object=companies&record_id=${record_id}`)).body
  expect(data).toHaveLength(1)
  await done('DELETE', `/v2/files/${data[0].id.file_id}`)
})

test('comments are written once', async () => {
  const { body } = await service.request('POST', `${things}/records/query`, { limit: 1 })
  const record = { object: 'things', record_id: body.data[0].id.record_id }
  const comment = { format: 'plaintext', content: 'x', author: { type: 'workspace-member', id: service.member.id } }
  const { id } = await done('POST', '/v2/comments', { ...comment, record })
  await done('PATCH', `/v2/comments/${id.comment_id}`, { is_resolved: true })
  await done('DELETE', `/v2/comments/${id.comment_id}`)
  const { data } = (await service.request('GET', `/v2/threads?object=things&record_id=${record.record_id}`)).body
  expect(data).toEqual([])
})

test('lists, entries and views are written once', async () => {
  const { api_slug } = await done('POST', '/v2/lists', listInput({ parent_object: 'things' }))
  const list = `/v2/lists/${api_slug}`
  const { body } = await service.request('POST', `${things}/records/query`, { limit: 1 })
  const parent = { parent_object: 'things', parent_record_id: body.data[0].id.record_id }
  const entry = await done('POST', `${list}/entries`, { ...parent, entry_values: {} })
  await done('PUT', `${list}/entries`, { ...parent, entry_values: {} })
  await done('PATCH', `${list}/entries/${entry.id.entry_id}`, { entry_values: {} })
  await done('DELETE', `${list}/entries/${entry.id.entry_id}`)
  const view = await done('POST', `${list}/views`, { title: 'All', type: 'table' })
  await done('PATCH', `${list}/views/${view.id.view_id}`, { title: 'Everything' })
  await done('DELETE', `${list}/views/${view.id.view_id}`)
  await done('PATCH', list, { name: 'Renamed' })
  await done('DELETE', list)
  await done('DELETE', things)
  expect((await service.request('GET', things)).status).toBe(404)
})
