/** The endpoint for assistants, with the client of the SDK. See docs/reference/assistants.md. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Server } from 'bun'
import { ASSISTANT_SCOPES } from '#access/oauth/requested-scopes'
import { callTool as call, connectAssistant } from '#testing/assistants'
import { listClient } from '#testing/lists'
import { testService, type TestService } from '#testing/service'
import { attributeInput } from '#testing/attributes'
import { until } from '#testing/until'
import { TOOLS } from './tools/registry'

let service: TestService
let server: Server<undefined>
let address: string
beforeAll(async () => {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => service.app.handle(request) })
  address = `http://127.0.0.1:${server.port}`
  service = await testService({ appUrl: address })
  await listClient(service).list({ api_slug: 'hiring', name: 'Hiring' })
  const { status } = await service.request('POST', '/v2/lists/hiring/attributes', {
    data: attributeInput({ api_slug: 'stage', type: 'status', title: 'Stage' }),
  })
  expect(status).toBe(200)
  await service.request('POST', '/v2/lists/hiring/attributes/stage/statuses', { data: { title: 'Interview' } })
})
afterAll(async () => {
  await server.stop(true)
  await service.close()
})

const connect = (key = service.key) => connectAssistant(address, key)

describe('the conformance tests of the protocol', () => {
  const CLI = join(import.meta.dir, '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

  /** The tests send no token, so this server adds one. */
  const withToken = (request: Request) => {
    const headers = new Headers(request.headers)
    headers.set('Authorization', `Bearer ${service.key}`)
    return service.app.handle(new Request(request, { headers }))
  }

  // One process runs all scenarios, which takes seconds. Those that fail need tools, resources or prompts with given names.
  test('pass', async () => {
    await using open = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: withToken })
    Object.assign(service.appContext.settings, { appUrl: `http://localhost:${open.port}` })
    const words = [process.execPath, '--bun', CLI, 'server', '--url', `http://localhost:${open.port}/mcp`]
    const output = await new Response(Bun.spawn(words, { stderr: 'ignore' }).stdout).text()
    Object.assign(service.appContext.settings, { appUrl: address })
    const passed = [...output.matchAll(/^✓ ([\w-]+): [1-9]\d* passed, 0 failed/gm)].map(([, scenario]) => scenario)
    const expected = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']
    expect(passed).toEqual(expect.arrayContaining(expected))
  })
})

describe('tools', () => {
  test('are those that the scopes allow, with hints, and need together the scopes of assistants', async () => {
    const client = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
    for (const { name, annotations, inputSchema, title } of tools) {
      expect([name, annotations?.readOnlyHint, title]).toEqual([name, expect.any(Boolean), expect.any(String)])
      expect(inputSchema.type).toBe('object')
    }
    const query = tools.find(({ name }) => name === 'query_records')?.inputSchema.properties ?? {}
    expect((query.object as { enum: string[] }).enum).toContain('people')
    const { tools: some } = await (
      await connect(await service.keyWith(['object_configuration:read', 'record_permission:read']))
    ).listTools()
    expect(some.map(({ name }) => name)).toEqual([
      'get_data_model',
      'search_records',
      'query_records',
      'get_record',
      'run_sql',
    ])
    const all = await connect(await service.keyWith(ASSISTANT_SCOPES))
    expect((await all.listTools()).tools.length).toBe(TOOLS.length)
    // The list costs an assistant tokens in each conversation; one is about four characters.
    expect(JSON.stringify(tools).length).toBeLessThan(20_000)
  })

  test('create, read, change and find records, in short values', async () => {
    const client = await connect()
    const company = (
      await call(client, 'create_record', {
        object: 'companies',
        values: { name: 'Engines', domains: ['engines.example.com'] },
      })
    ).json()
    const values = { name: 'Lovelace, Ada', email_addresses: ['ada@engines.example.com'], company: company.id }
    const { id } = (
      await call(client, 'upsert_record', { object: 'people', matching_attribute: 'email_addresses', values })
    ).json()
    const record = (await call(client, 'get_record', { object: 'people', record_id: id })).json()
    expect(record).toMatchObject({
      id,
      name: 'Ada Lovelace',
      email_addresses: ['ada@engines.example.com'],
      company: company.id,
    })
    expect(JSON.stringify(record)).not.toContain('active_from')
    await call(client, 'update_record', { object: 'people', record_id: id, values: { job_title: 'Countess' } })
    const filter = {
      path: [
        ['people', 'company'],
        ['companies', 'name'],
      ],
      constraints: { $contains: 'engin' },
    }
    const found = await call(client, 'query_records', {
      object: 'people',
      filter,
      fields: ['name', 'job_title'],
      count: true,
    })
    expect(found.json()).toEqual({ records: [{ id, name: 'Ada Lovelace', job_title: 'Countess' }], total: 1 })
    const hits = (await call(client, 'search_records', { query: 'lovelace', objects: ['people'] })).json()
    expect(hits).toEqual([{ id, object: 'people', name: 'Ada Lovelace', email_addresses: ['ada@engines.example.com'] }])
    const sums = await call(client, 'run_sql', {
      sql: 'select count(*) as people from people where job_title = $1',
      parameters: ['Countess'],
    })
    expect(sums.json()).toEqual({ columns: ['people'], rows: [[1]] })
    const many = (await call(client, 'run_sql', { sql: 'select n from generate_series(1, 1000000) n' })).json()
    expect([many.rows.length, many.rows[199], many.has_more]).toEqual([200, [200], true])
    const exact = (await call(client, 'run_sql', { sql: 'select n from generate_series(1, 200) n' })).json()
    expect([exact.rows.length, exact.has_more]).toEqual([200, undefined])
    const long =
      "select (select string_agg(repeat('x', 1000), '') from generate_series(1, 200)) as v from generate_series(1, 10)"
    const some = (await call(client, 'run_sql', { sql: long })).json()
    expect([some.rows.length, some.has_more]).toEqual([2, true])
    const tooLong = await call(client, 'run_sql', { sql: long.replace('200', '600') })
    expect([tooLong.isError, tooLong.text]).toEqual([true, expect.stringContaining('The first row has more than')])
  })

  test('write entries, notes, tasks and comments', async () => {
    const client = await connect()
    const subject = {
      object: 'people',
      record_id: await listClient(service).record('people', { name: 'Babbage, Charles' }),
    }
    const entry = (await call(client, 'create_entry', { list: 'hiring', ...subject })).json()
    await call(client, 'update_entry', { list: 'hiring', entry_id: entry.id, values: { stage: 'Interview' } })
    const { entries } = (await call(client, 'query_entries', { list: 'hiring', filter: { stage: 'Interview' } })).json()
    expect(entries).toMatchObject([{ id: entry.id, parent_record_id: subject.record_id, stage: 'Interview' }])
    expect((await call(client, 'list_record_entries', subject)).json()).toEqual([{ list: 'hiring', id: entry.id }])

    const note = (await call(client, 'create_note', { ...subject, title: 'Call', content: '**Difference**' })).json()
    expect((await call(client, 'list_notes', subject)).json().notes).toMatchObject([
      { id: note.id, title: 'Call', preview: 'Difference' },
    ])
    expect((await call(client, 'get_note', { note_id: note.id })).json().content_markdown).toContain('**Difference**')

    const task = (
      await call(client, 'create_task', {
        content: 'Write back',
        assignees: [service.member.email_address],
        ...subject,
      })
    ).json()
    await call(client, 'update_task', { task_id: task.id, is_completed: true })
    expect((await call(client, 'list_tasks', { ...subject, is_completed: true })).json().tasks).toMatchObject([
      { id: task.id, content: 'Write back' },
    ])

    const logged = { people: [subject.record_id], direction: 'Outbound', timestamp: '2026-03-01T10:00:00Z' }
    const made = (await call(client, 'create_activity_record', { activity: 'phone_calls', values: logged })).json()
    const change = { activity: 'phone_calls', record_id: made.id, values: { outcome: 'Busy' } }
    expect((await call(client, 'update_activity_record', change)).json()).toEqual(made)
    const filter = { people: { target_object: 'people', target_record_id: subject.record_id } }
    const calls = (await call(client, 'query_activity_records', { activity: 'phone_calls', filter })).json()
    expect(calls.records).toMatchObject([{ ...logged, id: made.id, outcome: 'Busy' }])
    const hits = (await call(client, 'search_records', { query: made.id, objects: ['phone_calls'] })).json()
    expect(hits).toEqual([{ id: made.id, object: 'phone_calls', name: made.id, timestamp: expect.any(String) }])

    const comment = (await call(client, 'create_comment', { ...subject, content: 'First' })).json()
    await call(client, 'create_comment', { thread_id: comment.thread_id, content: 'Second' })
    const { threads } = (await call(client, 'list_comments', subject)).json()
    expect(threads[0].comments.map(({ content }: { content: string }) => content)).toEqual(['First', 'Second'])
    const thread = { thread_id: comment.thread_id }
    await service.db.sql`
      insert into relata.comments
      select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).* from relata.comments c, generate_series(1, 250)
      where c.thread_id = ${comment.thread_id} and c.id <> ${comment.id}`
    const { threads: shortened } = (await call(client, 'list_comments', subject)).json()
    expect(shortened[0]).toMatchObject({ has_more_comments: true, is_resolved: false })
    const first = (await call(client, 'list_comments', thread)).json()
    expect([first.threads[0].comments.length, first.threads[0].is_resolved]).toEqual([250, false])
    const rest = (await call(client, 'list_comments', { ...thread, cursor: first.next_cursor })).json()
    expect([rest.threads[0].comments.length, rest.next_cursor]).toEqual([2, undefined])
    expect((await call(client, 'list_comments', { ...subject, cursor: 'x' })).isError).toBe(true)
    expect((await call(client, 'list_members', {})).json()).toMatchObject([
      { email_address: service.member.email_address },
    ])
  })

  test('answer errors that the assistant can correct', async () => {
    const client = await connect()
    const cases = [
      ['get_record', { object: 'people' }, 'record_id'],
      ['get_record', { object: 'people', record_id: 'x' }, 'record_id'],
      ['get_record', { object: 'peple', record_id: crypto.randomUUID() }, 'peple'],
      ['create_record', { object: 'people', values: { job: 'x' } }, 'Cannot find attribute'],
      ['query_records', { object: 'people', filter: { name: { $near: 'x' } } }, '$near'],
      ['run_sql', { sql: 'drop table people' }, ''],
      ['get_data_model', { slug: '../../etc' }, '../../etc'],
      ['query_entries', { list: 'a/../b' }, 'a/../b'],
      ['query_records', { object: '..' }, '".."'],
      ['query_activity_records', { activity: 'people' }, 'people'],
      ['create_activity_record', { activity: 'phone_calls', values: { direction: 'Sideways' } }, 'Sideways'],
    ] as const
    for (const [name, args, expected] of cases) {
      const { isError, text } = await call(client, name, args)
      expect([name, isError, text]).toEqual([name, true, expect.stringContaining(expected)])
    }
    await expect(client.callTool({ name: 'delete_everything', arguments: {} })).rejects.toThrow('no tool')
    const reader = await connect(await service.keyWith(['object_configuration:read', 'record_permission:read']))
    const { isError, text } = await call(reader, 'create_record', { object: 'people', values: {} })
    expect([isError, text]).toEqual([true, expect.stringContaining('Read-Write access to the Records scope')])
  })

  test('answer an error for a record of megabytes, and its other attributes', async () => {
    const client = await connect()
    const record_id = await listClient(service).record('people', {
      name: 'Long, Ada',
      description: 'x'.repeat(5_000_000),
    })
    const whole = await call(client, 'get_record', { object: 'people', record_id })
    expect([whole.isError, whole.text]).toEqual([true, expect.stringContaining('fewer `fields`')])
    const query = { object: 'people', filter: { record_id }, fields: ['name'] }
    expect((await call(client, 'query_records', query)).json().records).toMatchObject([{ name: 'Ada Long' }])
    const changed = { object: 'people', record_id, values: { job_title: 'Writer' } }
    expect((await call(client, 'update_record', changed)).isError).toBe(false)
  })

  test("do not reach another workspace's records", async () => {
    const { key } = await service.anotherWorkspace()
    const record_id = await listClient(service).record('people', { name: 'Secret, Person' })
    const client = await connect(key)
    expect((await call(client, 'get_record', { object: 'people', record_id })).isError).toBe(true)
    expect((await call(client, 'query_records', { object: 'people' })).json()).toEqual({ records: [] })
    expect((await call(client, 'get_data_model', {})).text).not.toContain('hiring')
  })
})

describe('resources', () => {
  test('describe the data model', async () => {
    const client = await connect()
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['relata://data-model', 'relata://data-model/hiring']),
    )
    const read = async (uri: string) => ((await client.readResource({ uri })).contents[0] as { text: string }).text
    expect(await read('relata://data-model')).toContain('list hiring (Hiring), entries are records of people')
    expect(await read('relata://data-model/hiring')).toContain('- stage (status, one of "Interview"): Stage')
    expect(await read('relata://data-model/people')).toContain('- company (record-reference, of companies)')
    await expect(client.readResource({ uri: 'relata://data-model/none' })).rejects.toThrow('no such resource')
  })
})

describe('calls', () => {
  test('are cancelled when the client closes the connection', async () => {
    const closing = new AbortController()
    const params = { name: 'run_sql', arguments: { sql: 'select count(*) from generate_series(1, 1000000000)' } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${service.key}`,
    }
    const running = fetch(`${address}/mcp`, { method: 'POST', headers, body, signal: closing.signal }).catch(
      () => undefined,
    )
    const isRunning = async () => {
      const [row] = await service.db.sql`
        select 1 from pg_stat_activity where query like '%generate_series(1, 1000000000)%' and pid <> pg_backend_pid()`
      return row !== undefined
    }
    await until(isRunning)
    closing.abort()
    await running
    const recorded = async () => (await service.db.sql`select 1 from relata.tool_calls where status = 499`).length === 1
    await until(recorded)
  })

  test('are recorded without arguments and results', async () => {
    const client = await connect()
    const record_id = await listClient(service).record('people', { name: 'Hopper, Grace' })
    await call(client, 'get_record', { object: 'people', record_id })
    await call(client, 'search_records', { query: 'private words', objects: ['people'] })
    await call(client, 'get_data_model', { slug: 'private words' })
    const rows = await service.db.sql`select * from relata.tool_calls order by created_at desc limit 3`
    expect(rows.map(({ tool, subject, subject_id, status }) => [tool, subject, subject_id, status])).toEqual([
      ['get_data_model', null, null, 404],
      ['search_records', null, null, 200],
      ['get_record', 'people', record_id, 200],
    ])
    expect(JSON.stringify(rows)).not.toContain('private')
  })
})
