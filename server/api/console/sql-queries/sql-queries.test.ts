/** See docs/reference/sql-queries.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { type Person, signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const ABSENT = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const admin = usePerson(service)
const grace = usePerson(service, 'member')
const ada = usePerson(service, 'member')
let saved: string
let history: string
beforeAll(async () => {
  saved = `/console/api/workspaces/${service.workspaceId}/sql-queries`
  history = `/console/api/workspaces/${service.workspaceId}/sql-history`
})

let count = 0
const newName = () => `Query ${++count}`
const save = async (person: Person, name = newName(), sql = 'select 1') =>
  (await person.ask('POST', saved, { name, sql })).body.data
const at = (id: string) => `${saved}/${id}`

describe('POST …/sql-queries', () => {
  test('200 with a query that all members can open', async () => {
    const name = newName()
    const query = await save(grace, ` ${name} `, 'select name\nfrom people')
    expect(query).toEqual({
      id: expect.any(String),
      name,
      sql: 'select name\nfrom people',
      version: 1,
      created_by: {
        workspace_member_id: grace.memberIds[service.workspaceId],
        first_name: 'Person',
        last_name: expect.any(String),
      },
      created_at: expect.stringMatching(/\d{9}Z$/),
      updated_at: query.created_at,
    })
    expect((await ada.ask('GET', at(query.id.toUpperCase()))).body.data).toEqual(query)
    const { sql: _, ...item } = query
    expect((await ada.ask('GET', saved)).body.data).toContainEqual(item)
  })

  test('200 with queries in the order of their names, whatever their case', async () => {
    const word = crypto.randomUUID()
    for (const name of [`${word} b`, `${word} A`, `${word} C`]) await save(ada, name)
    const names = (await grace.ask('GET', saved)).body.data.map((query: { name: string }) => query.name)
    const ours = names.filter((name: string) => name.startsWith(word))
    expect(ours).toEqual([`${word} A`, `${word} b`, `${word} C`])
  })

  test('409 for a name that another query has, also from two members at once', async () => {
    const { name } = await save(grace)
    const refused = await ada.ask('POST', saved, { name: name.toUpperCase(), sql: 'select 2' })
    expect([refused.status, refused.body.code]).toEqual([409, 'slug_conflict'])
    const body = { name: newName(), sql: 'select 2' }
    const answers = await Promise.all([ada.ask('POST', saved, body), grace.ask('POST', saved, body)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test.each([
    [{}],
    [{ name: 'X' }],
    [{ name: 'X', sql: '' }],
    [{ name: 'X', sql: ' \n' }],
    [{ name: ' ', sql: 'select 1' }],
    [{ name: 'a\nb', sql: 'select 1' }],
    [{ name: 'X', sql: 1 }],
    [{ name: 'X', sql: 'select \0' }],
  ])('400 for %j', async (body) => expect((await grace.ask('POST', saved, body)).status).toBe(400))

  test('400 for more than 100,000 characters', async () => {
    expect((await grace.ask('POST', saved, { name: newName(), sql: 'x'.repeat(100_001) })).status).toBe(400)
  })

  test('400 when the workspace has 500 queries', async () => {
    const { workspaceId } = await service.anotherWorkspace()
    const member = await signedIn(service, { [workspaceId]: 'member' })
    await service.db.sql`
      insert into relata.saved_queries (workspace_id, id, name, sql, member_id, created_at, updated_at)
      select ${workspaceId}, gen_random_uuid(), number::text, 'select 1', ${member.memberIds[workspaceId] ?? ''}, now(), now()
      from generate_series(1, 499) number`
    const path = `/console/api/workspaces/${workspaceId}/sql-queries`
    const answers = await Promise.all(['One', 'Two'].map((name) => member.ask('POST', path, { name, sql: 'select 1' })))
    expect(answers.map(({ status, body }) => [status, body.code]).toSorted()).toEqual([
      [200, undefined],
      [400, 'quota_exceeded'],
    ])
  })
})

describe('PUT …/sql-queries/:query_id', () => {
  test('200 for the author and for admins', async () => {
    const { id, name, created_at } = await save(grace)
    const { body } = await grace.ask('PUT', at(id), { name, sql: 'select 2', version: 1 })
    expect(body.data).toMatchObject({ id, name, sql: 'select 2', version: 2, created_at })
    const renamed = await admin.ask('PUT', at(id), { name: newName(), sql: 'select 3', version: 2 })
    expect([renamed.status, renamed.body.data.version]).toEqual([200, 3])
    expect(renamed.body.data.created_by.workspace_member_id).toBe(grace.memberIds[service.workspaceId] ?? '')
  })

  test('403 for another member', async () => {
    const { id, name } = await save(grace)
    const { status, body } = await ada.ask('PUT', at(id), { name, sql: 'select 2', version: 1 })
    expect([status, body.code]).toEqual([403, 'unauthorized'])
    expect((await grace.ask('GET', at(id))).body.data.sql).toBe('select 1')
  })

  test('412 for another version, so that of two writers one succeeds', async () => {
    const { id, name } = await save(grace)
    const answers = await Promise.all(
      ['select 2', 'select 3'].map((sql) => grace.ask('PUT', at(id), { name, sql, version: 1 })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412])
  })

  test('409 for a name that another query has, 404 for an unknown query, 400 without a version', async () => {
    const [first, second] = [await save(grace), await save(grace)]
    const body = { name: second.name, sql: 'select 1', version: 1 }
    expect((await grace.ask('PUT', at(first.id), body)).status).toBe(409)
    for (const id of [ABSENT, 'x']) expect((await grace.ask('PUT', at(id), body)).status).toBe(404)
    const { version: _, ...rest } = body
    expect((await grace.ask('PUT', at(first.id), rest)).status).toBe(400)
  })
})

describe('DELETE …/sql-queries/:query_id', () => {
  test('200 for the author and for admins, 403 for another member, then 404', async () => {
    const [first, second] = [await save(grace), await save(grace)]
    expect((await ada.ask('DELETE', at(first.id))).status).toBe(403)
    expect((await grace.ask('DELETE', at(first.id))).status).toBe(200)
    expect((await admin.ask('DELETE', at(second.id))).status).toBe(200)
    for (const { id } of [first, second]) {
      expect((await grace.ask('GET', at(id))).status).toBe(404)
      expect((await grace.ask('DELETE', at(id))).status).toBe(404)
    }
  })

  test('404 for a query of another workspace', async () => {
    const { workspaceId } = await service.anotherWorkspace()
    const foreign = await signedIn(service, { [workspaceId]: 'admin' })
    const { id } = await save(grace)
    const path = `/console/api/workspaces/${workspaceId}/sql-queries`
    expect((await foreign.ask('GET', `${path}/${id}`)).status).toBe(404)
    expect((await foreign.ask('DELETE', `${path}/${id}`)).status).toBe(404)
    expect((await foreign.ask('GET', path)).body.data).toEqual([])
  })
})

describe('…/sql-history', () => {
  const run = (person: Person, sql: string, row_count: number | null = 1) =>
    person.ask('POST', history, { sql, duration_ms: 12, row_count })
  const texts = async (person: Person) =>
    (await person.ask('GET', history)).body.data.map(({ sql }: { sql: string }) => sql)

  test('200 with the queries of the member alone, the latest first, each text once', async () => {
    for (const sql of ['select 1', 'select 2', 'select 1']) expect((await run(grace, sql)).status).toBe(200)
    await run(ada, 'select 3', null)
    expect(await texts(grace)).toEqual(['select 1', 'select 2'])
    expect((await ada.ask('GET', history)).body.data).toEqual([
      {
        id: expect.any(String),
        sql: 'select 3',
        duration_ms: 12,
        row_count: null,
        ran_at: expect.stringMatching(/\d{9}Z$/),
      },
    ])
    expect((await grace.ask('DELETE', history)).status).toBe(200)
    expect(await texts(grace)).toEqual([])
    expect(await texts(ada)).toEqual(['select 3'])
  })

  test('the history has the last 100 queries', async () => {
    const memberId = ada.memberIds[service.workspaceId] ?? ''
    await service.db.sql`
      insert into relata.query_history (workspace_id, member_id, id, sql, ran_at, duration_ms)
      select ${service.workspaceId}, ${memberId}, ('00000000-0000-4000-8000-' || lpad(number::text, 12, '0'))::uuid,
        'select ' || number, now(), 1
      from generate_series(101, 200) number`
    await run(ada, 'select 0')
    const all = await texts(ada)
    expect([all.length, all[0], all.at(-1)]).toEqual([100, 'select 0', 'select 103'])
  })

  test.each([
    [{}],
    [{ sql: '', duration_ms: 1, row_count: 1 }],
    [{ sql: 'select 1', duration_ms: -1, row_count: 1 }],
    [{ sql: 'select 1', duration_ms: 1.5, row_count: 1 }],
    [{ sql: 'select 1', duration_ms: 1, row_count: 3e9 }],
  ])('400 for %j', async (body) => expect((await grace.ask('POST', history, body)).status).toBe(400))

  test('400 for more than 20,000 characters', async () => {
    expect((await run(grace, 'x'.repeat(20_001))).status).toBe(400)
  })
})
