import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const records: Record<string, string> = {}
beforeAll(async () => {
  for (const [name, object] of [
    ['relata', 'companies'],
    ['other', 'companies'],
    ['ada', 'people'],
  ] as const) {
    const { body } = await service.request('POST', `/v2/objects/${object}/records`, { data: { values: {} } })
    records[name] = body.data.id.record_id
  }
  await create('b', { created_at: '2024-01-02' })
  await create('a', { created_at: '2024-01-01' })
  await create('Äpfel und Birnen', { created_at: '2024-01-03', parent_record_id: records.other })
  await create("d's call", { created_at: '2024-01-04', parent_object: 'people', parent_record_id: records.ada })
  await create('call-back Relata', { created_at: '2024-01-04' })
})

const create = (title: string, members: object = {}) => {
  const parent = { parent_object: 'companies', parent_record_id: records.relata }
  return service.request('POST', '/v2/notes', {
    data: { ...parent, title, format: 'plaintext', content: '', ...members },
  })
}
const list = async (query = '') => {
  const { status, body } = await service.request('GET', `/v2/notes${query}`)
  expect(status).toBe(200)
  return body.data.map(({ title }: { title: string }) => title)
}

const ALL = ['a', 'b', 'Äpfel und Birnen', "d's call", 'call-back Relata']

describe('GET /v2/notes', () => {
  test('200 by creation, in pages', async () => {
    expect(await list()).toEqual(ALL)
    expect(await list('?limit=2&offset=1')).toEqual(ALL.slice(1, 3))
    for (const offset of [5, 1001]) expect(await list(`?offset=${offset}`)).toEqual([])
    expect(await list('?sort=created_at:desc')).toEqual(ALL.toReversed())
  })

  test('200 of an object, of a record, of none', async () => {
    expect(await list('?parent_object=companies')).toEqual(['a', 'b', 'Äpfel und Birnen', 'call-back Relata'])
    expect(await list(`?parent_object=companies&parent_record_id=${records.relata}`)).toEqual([
      'a',
      'b',
      'call-back Relata',
    ])
    expect(await list(`?parent_object=people&parent_record_id=${records.relata}`)).toEqual([])
  })

  test('200 of an author, also a suspended one', async () => {
    const { db, workspaceId, member } = service
    const [first] = await db.sql`select id from relata.notes where title = 'a'`
    await db.sql`update relata.notes set created_by = (select number from relata.actors where id = ${member.id}) where id = ${first?.id}`
    await db.sql`update relata.workspace_members set access_level = 'suspended' where id = ${member.id}`
    await service.appContext.models.reload(workspaceId)
    expect(await list(`?created_by=${member.id}`)).toEqual(['a'])
    const { status, body } = await service.request('GET', `/v2/notes?created_by=${crypto.randomUUID()}`)
    expect([status, body.code]).toEqual([400, 'value_not_found'])
    const { body: note } = await service.request('GET', `/v2/notes/${first?.id}`)
    expect(note.data.created_by_actor).toEqual({ type: 'workspace-member', id: member.id })
  })

  const SEARCHES: readonly (readonly [words: string, titles: readonly string[]])[] = [
    ['call', ["d's call", 'call-back Relata']],
    ['CAL relata', ['call-back Relata']],
    ['apfel', ['Äpfel und Birnen']],
    ['ds', ["d's call"]],
    ['missing', []],
    ['!?', []],
    ["' & | ! \\ :*", []],
    ["x' | 'call", []],
  ]
  test.each(SEARCHES)('200 of titles with %s', async (words, titles) => {
    expect(await list(`?search=${encodeURIComponent(words)}`)).toEqual([...titles])
  })

  test('200 of one workspace alone', async () => {
    const { key } = await service.anotherWorkspace()
    for (const query of ['', '?search=call'])
      expect((await service.request('GET', `/v2/notes${query}`, undefined, { key })).body.data).toEqual([])
  })

  test('200 for a title with a word that no index takes as a whole', async () => {
    const title = '㌀'.repeat(255)
    expect((await create(title)).status).toBe(200)
    expect(await list(`?search=${encodeURIComponent(title.slice(0, 3))}`)).toEqual([title])
  })

  const REFUSED: readonly (readonly [query: string, status: number, code: string])[] = [
    [`?parent_record_id=${crypto.randomUUID()}`, 400, 'validation_type'],
    ['?parent_object=nothing', 404, 'not_found'],
    ['?limit=51', 400, 'validation_type'],
    ['?limit=0', 400, 'validation_type'],
    ['?sort=title:asc', 400, 'validation_type'],
    ['?created_by=x', 400, 'validation_type'],
    [`?search=${'x'.repeat(257)}`, 400, 'validation_type'],
  ]
  test.each(REFUSED)('refused with %s', async (query, status, code) => {
    const answer = await service.request('GET', `/v2/notes${query}`)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})

describe('GET /v2/notes, with megabytes of content', () => {
  const CONTENT = 'Call *Ada* back. '.repeat(50_000)
  let list: string
  beforeAll(async () => {
    const { body } = await service.request('POST', '/v2/objects/companies/records', { data: { values: {} } })
    const parent_record_id = body.data.id.record_id
    list = `/v2/notes?parent_object=companies&parent_record_id=${parent_record_id}`
    for (const title of ['first', 'second', 'third']) await create(title, { parent_record_id, content: CONTENT })
  })

  test('200 with all notes, as a note alone', async () => {
    const { status, headers, body } = await service.request('GET', list)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual(['first', 'second', 'third'])
    const alone = await service.request('GET', `/v2/notes/${body.data[2].id.note_id}`)
    expect(Bun.deepEquals(body.data[2], alone.body.data)).toBe(true)
  })

  test('200 for a client that closes the connection after the first note', async () => {
    const headers = { authorization: `Bearer ${service.key}` }
    const response = await service.app.handle(new Request(`http://localhost${list}`, { headers }))
    const reader = response.body!.getReader()
    expect((await reader.read()).done).toBe(false)
    await reader.cancel()
    expect((await service.request('GET', `${list}&limit=1`)).body.data.length).toBe(1)
  })
})
