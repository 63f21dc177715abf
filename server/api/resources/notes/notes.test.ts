import { beforeAll, describe, expect, test } from 'bun:test'
import { eventLines } from '#testing/events'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let record: string
beforeAll(async () => {
  record = await createRecord('companies', { name: 'Relata' })
})

async function createRecord(object: string, values: object): Promise<string> {
  const { body } = await service.request('POST', `/v2/objects/${object}/records`, { data: { values } })
  return body.data.id.record_id
}
const input = (members: object = {}) => ({
  data: {
    parent_object: 'companies',
    parent_record_id: record,
    title: 'A call',
    format: 'markdown',
    content: '# Call\n**bold**\n- item',
    ...members,
  },
})
const create = (members: object = {}) => service.request('POST', '/v2/notes', input(members))
const createId = async (members: object = {}): Promise<string> => (await create(members)).body.data.id.note_id
const path = (id: string) => `/v2/notes/${id}`

describe('POST /v2/notes', () => {
  test('200 with both texts of the content, as GET answers it', async () => {
    const { status, body, headers } = await create()
    expect([status, body.message]).toEqual([200, undefined])
    expect(body.data).toEqual({
      id: { workspace_id: service.workspaceId, note_id: expect.any(String) },
      parent_object: 'companies',
      parent_record_id: record,
      title: 'A call',
      meeting_id: null,
      content_plaintext: 'Call\nbold\nitem',
      content_markdown: '# Call\n**bold**\n- item',
      tags: [],
      created_by_actor: { type: 'api-token', id: expect.any(String) },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/),
    })
    const read = await service.request('GET', path(body.data.id.note_id))
    expect(read.body).toEqual(body)
    expect(read.headers.get('etag')).toBe(headers.get('etag'))
  })

  test('200 with a tag for each member and record that a link mentions', async () => {
    const { web_url, id } = (await service.request('GET', `/v2/objects/companies/records/${record}`)).body.data
    const member = service.member
    const { body: made } = await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })
    const person: string = made.data.id.record_id
    const links = [
      `[one](${web_url})`,
      `[again](${web_url}?tab=notes#top)`,
      `[page](http://localhost:8080/objects/companies/${id.record_id.toUpperCase()})`,
      `[page of a workspace](http://localhost:8080/${new URL(web_url).pathname.split('/')[1]}/objects/people/${person})`,
      `[page of another workspace](http://localhost:8080/elsewhere/objects/companies/${record})`,
      `[Ada](mailto:${member.email_address.toUpperCase()})`,
      '[nobody](mailto:nobody@example.com)',
      `[other service](https://crm.example.com/objects/companies/${record})`,
      '[no id](http://localhost:8080/objects/companies/x)',
      `[no object](http://localhost:8080/objects/nonsense/${record})`,
    ]
    const { body } = await create({ format: 'markdown', content: links.join('\n- ') })
    expect(body.data.tags).toEqual([
      { type: 'record', object: 'companies', record_id: record },
      { type: 'record', object: 'people', record_id: person },
      { type: 'workspace-member', workspace_member_id: member.id },
    ])
  })

  test('200 with the slug of the parent object when it is named by its id, and with an empty title', async () => {
    const { body: object } = await service.request('GET', '/v2/objects/companies')
    const parents = { parent_object: object.data.id.object_id, parent_record_id: record.toUpperCase() }
    const { body } = await create({ ...parents, title: '', format: 'plaintext', content: '*x*' })
    expect(body.data).toMatchObject({ parent_object: 'companies', parent_record_id: record, title: '' })
    expect(body.data).toMatchObject({ content_plaintext: '*x*', content_markdown: '\\*x\\*' })
  })

  test('200 with a time in the past', async () => {
    const { body } = await create({ created_at: '1970-01-01T01:00:00+01:00' })
    expect(body.data.created_at).toBe('1970-01-01T00:00:00.000000000Z')
  })

  const REFUSED: readonly (readonly [what: string, members: object, status: number, code: string])[] = [
    ['an unknown object', { parent_object: 'nothing' }, 404, 'not_found'],
    ['an unknown record', { parent_record_id: crypto.randomUUID() }, 404, 'not_found'],
    ['a record of another object', { parent_object: 'people' }, 404, 'not_found'],
    ['a record id that is no UUID', { parent_record_id: 'x' }, 400, 'validation_type'],
    ['no title', { title: undefined }, 400, 'validation_type'],
    ['a long title', { title: 'x'.repeat(256) }, 400, 'validation_type'],
    ['an unknown format', { format: 'html' }, 400, 'validation_type'],
    ['a time before 1970', { created_at: '1969-12-31T23:59:59.999Z' }, 400, 'validation_type'],
    ['a time in the future', { created_at: '2999-01-01' }, 400, 'validation_type'],
    ['what is no time', { created_at: 'yesterday' }, 400, 'validation_type'],
    ['a meeting', { meeting_id: crypto.randomUUID() }, 400, 'value_not_found'],
    ['NUL', { content: 'a\u0000' }, 400, 'validation_type'],
    ['half of a surrogate pair', { title: '\ud83d' }, 400, 'validation_type'],
    ['more than 1 MB', { content: 'ü'.repeat(500_001) }, 413, 'validation_type'],
  ]
  test.each(REFUSED)('refused with %s', async (_, members, status, code) => {
    const answer = await create(members)
    expect([answer.status, answer.body.code, answer.body.type]).toEqual([status, code, 'invalid_request_error'])
  })

  test('200 with 1 MB', async () => {
    const content = '*'.repeat(1_000_000)
    const { body } = await create({ content })
    expect(body.data.content_plaintext === content && body.data.content_markdown === content).toBe(true)
  })

  test('once with an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'note-1' }
    const first = await service.request('POST', '/v2/notes', input({ title: 'Once' }), { headers })
    const second = await service.request('POST', '/v2/notes', input({ title: 'Once' }), { headers })
    expect(second.body).toEqual(first.body)
    expect((await service.request('GET', '/v2/notes?search=once')).body.data).toHaveLength(1)
  })
})

describe('GET /v2/notes/{note_id}', () => {
  test('400 for what is no id, 404 for an unknown note and one of another workspace', async () => {
    expect((await service.request('GET', '/v2/notes/x')).status).toBe(400)
    const unknown = await service.request('GET', path(crypto.randomUUID()))
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
    const id = await createId()
    const { key } = await service.anotherWorkspace()
    for (const method of ['GET', 'DELETE'] as const)
      expect((await service.request(method, path(id), undefined, { key })).status).toBe(404)
    expect((await service.request('PATCH', path(id), { data: { title: 'x' } }, { key })).status).toBe(404)
  })
})

describe('PATCH /v2/notes/{note_id}', () => {
  test('200 with what is sent, events of what changes', async () => {
    const id = await createId()
    await service.events()
    const names = { [id]: 'note', [record]: 'relata' }
    const change = async (data: object) => {
      const { status, body } = await service.request('PATCH', path(id), { data })
      return [status, body.data?.title, body.data?.content_markdown, ...(await eventLines(service, names))]
    }
    const content = '# Call\n**bold**\n- item'
    const updated = 'note.updated note of relata by api-token'
    const contentUpdated = 'note-content.updated note of relata by api-token'
    expect(await change({ title: 'New' })).toEqual([200, 'New', content, updated])
    expect(await change({ title: 'New', meeting_id: null })).toEqual([200, 'New', content])
    expect(await change({ format: 'markdown', content })).toEqual([200, 'New', content])
    expect(await change({ format: 'plaintext', content: 'x' })).toEqual([200, 'New', 'x', contentUpdated])
    expect(await change({ title: '', format: 'markdown', content: '_x_' })).toEqual([
      200,
      '',
      '*x*',
      updated,
      contentUpdated,
    ])
  })

  test('412 for another version than If-Match names', async () => {
    const created = await create()
    const note = path(created.body.data.id.note_id)
    const patch = (title: string, tag: string) =>
      service.request('PATCH', note, { data: { title } }, { headers: { 'If-Match': tag } })
    const first = created.headers.get('etag') ?? ''
    const second = (await patch('1', first)).headers.get('etag') ?? ''
    expect(second).not.toBe(first)
    expect((await patch('2', first)).body.code).toBe('version_conflict')
    expect((await patch('1', second)).headers.get('etag')).toBe(second)
    const remove = (tag: string) => service.request('DELETE', note, undefined, { headers: { 'If-Match': tag } })
    expect((await remove(first)).status).toBe(412)
    expect((await remove(second)).status).toBe(200)
  })

  const REFUSED: readonly (readonly [what: string, data: object, status: number, code: string])[] = [
    ['nothing', {}, 400, 'validation_type'],
    ['only unknown members', { parent_object: 'people' }, 400, 'validation_type'],
    ['content without its format', { content: 'x' }, 400, 'validation_type'],
    ['a format without content', { format: 'markdown' }, 400, 'validation_type'],
    ['a meeting', { meeting_id: crypto.randomUUID() }, 400, 'value_not_found'],
    ['more than 1 MB', { format: 'plaintext', content: 'x'.repeat(1_000_001) }, 413, 'validation_type'],
  ]
  test.each(REFUSED)('refused with %s', async (_, data, status, code) => {
    const answer = await service.request('PATCH', path(await createId()), { data })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})

describe('DELETE /v2/notes/{note_id}', () => {
  test('200 once, with an event', async () => {
    const id = await createId()
    await service.events()
    expect((await service.request('DELETE', path(id))).body).toEqual({})
    expect(await eventLines(service, { [id]: 'note', [record]: 'relata' })).toEqual([
      'note.deleted note of relata by api-token',
    ])
    for (const method of ['GET', 'DELETE'] as const) expect((await service.request(method, path(id))).status).toBe(404)
  })
})

test('events name the parent object by its id', async () => {
  await service.events()
  await create()
  const [event] = await service.events()
  const { body } = await service.request('GET', '/v2/objects/companies')
  expect(event).toMatchObject({ parent_object_id: body.data.id.object_id, parent_record_id: record })
})
