import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Server } from 'bun'
import { testService, type TestService, type TestWorkspace } from '#testing/service'
import { runCommandLine } from '#run/cli/run'
import { runCopy } from './command'

let service: TestService
let server: Server<undefined>
let folder: string
beforeAll(async () => {
  service = await testService()
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => service.app.handle(request) })
  folder = mkdtempSync(join(tmpdir(), 'relata-copy-'))
})
afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true })
  await service.close()
})

const urlOf = ({ port }: Server<undefined>) => `http://127.0.0.1:${port}`

// A test that names a wrong member gets undefined and fails.
// oxlint-disable-next-line typescript/no-explicit-any
type Data = any

const call = async (key: string, method: string, path: string, data?: unknown): Promise<Data> => {
  const { status, body } = await service.request(method, `/v2${path}`, data === undefined ? undefined : { data }, {
    key,
  })
  expect([status, status < 300 ? '' : body]).toEqual([200, ''])
  return body.data
}

const queryAll = async (key: string, path: string): Promise<Data[]> =>
  (await service.request('POST', `/v2${path}/query`, {}, { key })).body.data

const attribute = (title: string, api_slug: string, type: string, more: object = {}) => ({
  title,
  description: null,
  api_slug,
  type,
  is_required: false,
  is_unique: false,
  is_multiselect: false,
  config: {},
  ...more,
})

/** Fills a workspace with one item of each kind that is copied. */
async function fill(key: string, member: string) {
  const post = (path: string, data: unknown) => call(key, 'POST', path, data)
  await post('/objects', { api_slug: 'ships', singular_noun: 'Ship', plural_noun: 'Ships' })
  const ships = '/objects/ships/attributes'
  await post(ships, attribute('Name', 'name', 'text'))
  await post(ships, attribute('Class', 'class', 'select'))
  await post(`${ships}/class/options`, { title: 'Brig' })
  const relationship = { object: 'people', title: 'Ships', api_slug: 'ships', is_multiselect: true }
  await post(ships, attribute('Captain', 'captain', 'record-reference', { relationship }))
  await post(ships, attribute('Owner', 'owner', 'actor-reference'))
  const formula = "name || ' ' || class"
  await post(ships, attribute('Full name', 'full_name', 'text', { computed: { formula } }))
  const fleets = { through: 'ships.captain', function: 'list', of: 'full_name', filter: { class: 'Brig' } }
  await post('/objects/people/attributes', attribute('Fleet', 'fleet', 'text', { computed: { rollup: fleets } }))
  await post(ships, attribute('Sister ships', 'sisters', 'text', { computed: { lookup: ['captain', 'fleet'] } }))
  const record = async (object: string, values: object) =>
    (await post(`/objects/${object}/records`, { values })).id.record_id
  const ada = await record('people', { name: 'Lovelace, Ada', email_addresses: ['ada@analytical.com'] })
  const acme = await record('companies', {
    name: 'Acme',
    domains: ['acme.com'],
    team: [{ target_object: 'people', target_record_id: ada }],
  })
  const captain = { target_object: 'people', target_record_id: ada }
  const ship = await record('ships', { name: 'Argo', class: 'Brig', captain, owner: member })
  await post('/lists', {
    name: 'Fleet',
    api_slug: 'fleet',
    parent_object: 'ships',
    workspace_access: 'full-access',
    workspace_member_access: [],
  })
  await post('/lists/fleet/attributes', attribute('Stage', 'stage', 'status'))
  await post('/lists/fleet/attributes/stage/statuses', { title: 'Afloat', celebration_enabled: true })
  await post('/lists/fleet/entries', {
    parent_object: 'ships',
    parent_record_id: ship,
    entry_values: { stage: 'Afloat' },
  })
  await post('/notes', {
    parent_object: 'people',
    parent_record_id: ada,
    title: 'Met',
    format: 'markdown',
    content: '**Bold**',
    created_at: '2024-01-02T03:04:05Z',
  })
  const linked_records = [{ target_object: 'companies', target_record_id: acme }]
  await post('/tasks', {
    content: 'Call',
    format: 'plaintext',
    deadline_at: null,
    is_completed: false,
    linked_records,
    assignees: [],
  })
  const logged = { people: [ada], companies: [acme], direction: 'Outbound', timestamp: '2026-03-01T10:00:00Z' }
  await post('/activities/phone_calls/records', { values: logged })
  await post('/activities', {
    api_slug: 'visits',
    singular_noun: 'Visit',
    plural_noun: 'Visits',
    extends: 'interactions',
  })
  const visitors = { object: 'ships', title: 'Visits', api_slug: 'visits', is_multiselect: true }
  await post('/activities/visits/attributes', attribute('Ship', 'ship', 'record-reference', { relationship: visitors }))
  await post('/activities/visits/records', { values: { ship: { target_object: 'ships', target_record_id: ship } } })
  return { ada, acme, ship }
}

let copies = 0
/** Copies between two workspaces without pauses; returns the lines and the report. */
function copyInto(target: TestWorkspace, from: { url?: string; key?: string } = {}) {
  const name = join(folder, String(++copies))
  const pauses: number[] = []
  const { signal } = new AbortController()
  const pause = async (ms: number) => void pauses.push(ms)
  return {
    pauses,
    async run() {
      const lines: string[] = []
      const code = await runCopy({
        source: { url: from.url ?? urlOf(server), key: from.key ?? service.key, signal, pause },
        target: { url: urlOf(server), key: target.key, signal, pause },
        statePath: `${name}.jsonl`,
        problemsPath: `${name}.csv`,
        print: (line) => lines.push(line),
      })
      return { code, lines, problems: await Bun.file(`${name}.csv`).text() }
    },
  }
}

async function expectCopied(key: string) {
  const [person] = await queryAll(key, '/objects/people/records')
  const [company] = await queryAll(key, '/objects/companies/records')
  const [ship] = await queryAll(key, '/objects/ships/records')
  expect(person.values.name[0].full_name).toBe('Ada Lovelace')
  expect(company.values.team[0].target_record_id).toBe(person.id.record_id)
  expect(ship.values.captain[0].target_record_id).toBe(person.id.record_id)
  expect(ship.values.class[0].option.title).toMatch(/^brig$/i)
  expect(person.values.ships[0].target_record_id).toBe(ship.id.record_id)
  const [logged] = await queryAll(key, '/activities/phone_calls/records')
  expect(logged.values).toMatchObject({
    people: [{ target_record_id: person.id.record_id }],
    companies: [{ target_record_id: company.id.record_id }],
    direction: [{ option: { title: 'Outbound' } }],
    timestamp: [{ value: '2026-03-01T10:00:00.000000000Z' }],
  })
  const [visit] = await queryAll(key, '/activities/visits/records')
  expect(visit.values.ship[0].target_record_id).toBe(ship.id.record_id)
  expect(ship.values.visits[0].target_record_id).toBe(visit.id.record_id)
  const [entry] = await queryAll(key, '/lists/fleet/entries')
  expect(entry.parent_record_id).toBe(ship.id.record_id)
  expect(entry.entry_values.stage[0].status).toMatchObject({ title: 'Afloat', celebration_enabled: true })
  const [note] = await call(key, 'GET', '/notes')
  expect(note).toMatchObject({ title: 'Met', content_markdown: '**Bold**', parent_record_id: person.id.record_id })
  expect(note.created_at).toStartWith('2024-01-02T03:04:05')
  const [task] = await call(key, 'GET', '/tasks')
  expect(task.linked_records[0].target_record_id).toBe(company.id.record_id)
}

describe('relata copy', () => {
  let ids: Awaited<ReturnType<typeof fill>>
  beforeAll(async () => {
    ids = await fill(service.key, service.member.id)
  })

  test('copies a workspace; a second run writes only what changed', async () => {
    const target = await service.anotherWorkspace()
    const copy = copyInto(target)
    const first = await copy.run()
    expect(first.lines.join('\n')).toContain('records of ships: 1 created, 0 updated, 0 unchanged, 0 not copied')
    await expectCopied(target.key)
    expect(first.problems).toContain('people.created_at,,The attribute is read-only; its values are not copied.')
    expect(first.problems).toContain(`record,${ids.ship},owner,No member of the target has the email address`)

    const second = await copy.run()
    expect(second.lines.filter((line) => /[1-9]\d* (?:created|updated)/.test(line))).toEqual([])
    expect(second.problems).toBe(first.problems)

    await call(service.key, 'PATCH', `/objects/companies/records/${ids.acme}`, { values: { name: 'Acme & Sons' } })
    await call(service.key, 'PATCH', '/objects/ships/attributes/class/options/Brig', { title: 'brig' })
    const third = await copy.run()
    expect(third.lines.join('\n')).toContain('records of companies: 0 created, 1 updated')
    const [company] = await queryAll(target.key, '/objects/companies/records')
    expect(company.values.name[0].value).toBe('Acme & Sons')
    const [ship] = await queryAll(target.key, '/objects/ships/records')
    expect(ship.values.class[0].option.title).toBe('brig')
  })

  test('copies everything from a source that limits, cuts answers and gives half pages', async () => {
    const before = await Promise.all(
      [1, 2, 3, 4].map((n) => call(service.key, 'POST', '/objects/companies/records', { values: { name: `C${n}` } })),
    )
    const target = await service.anotherWorkspace()
    // It has the unique value of a record of the source, and becomes its copy.
    await call(target.key, 'POST', '/objects/companies/records', { values: { domains: ['acme.com'] } })
    const proxy = misbehaving()
    const copy = copyInto(target, { url: urlOf(proxy) })
    await copy.run()
    await proxy.stop(true)
    await expectCopied(target.key)
    expect(await queryAll(target.key, '/objects/companies/records')).toHaveLength(5)
    expect(copy.pauses).toContain(7000)
    for (const { id } of before) await call(service.key, 'DELETE', `/objects/companies/records/${id.record_id}`)
  })

  test('continues after an interruption without a second copy', async () => {
    const target = await service.anotherWorkspace()
    let isDown = true
    const refusal = new Response('{"message":"gone"}', { status: 401 })
    const unreliable = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) =>
        isDown && request.url.endsWith('ships/records/query') ? refusal : service.app.handle(request),
    })
    const copy = copyInto(target, { url: urlOf(unreliable) })
    await expect(copy.run()).rejects.toThrow('gone')
    expect(await queryAll(target.key, '/objects/companies/records')).toHaveLength(1)
    isDown = false
    await copy.run()
    await unreliable.stop(true)
    await expectCopied(target.key)
  })

  test('copies a list with several parent objects', async () => {
    const target = await service.anotherWorkspace()
    const { body } = await service.request('GET', '/v2/lists/fleet')
    const [entry] = await queryAll(service.key, '/lists/fleet/entries')
    const ofCompany = {
      ...entry,
      id: { ...entry.id, entry_id: crypto.randomUUID() },
      parent_object: 'companies',
      parent_record_id: ids.acme,
    }
    const answers: Record<string, unknown> = {
      '/v2/lists': { data: [{ ...body.data, parent_object: ['ships', 'companies'] }] },
      '/v2/lists/fleet/entries/query': { data: [entry, ofCompany] },
    }
    const source = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const answer = answers[new URL(request.url).pathname]
        return answer === undefined ? service.app.handle(request) : Response.json(answer)
      },
    })
    const copy = copyInto(target, { url: urlOf(source) })
    await copy.run()
    const again = await copy.run()
    await source.stop(true)
    expect(again.lines.filter((line) => /[1-9]\d* (?:created|updated)/.test(line))).toEqual([])
    const lists = await call(target.key, 'GET', '/lists')
    expect(lists).toMatchObject([{ api_slug: 'fleet', name: 'Fleet', parent_object: ['ships', 'companies'] }])
    const [company] = await queryAll(target.key, '/objects/companies/records')
    expect(await queryAll(target.key, '/lists/fleet/entries')).toMatchObject([
      { parent_object: 'ships' },
      {
        parent_object: 'companies',
        parent_record_id: company.id.record_id,
        entry_values: { stage: [{ status: { title: 'Afloat' } }] },
      },
    ])
  })

  test.each<[string, Data, string | RegExp]>([
    ['no array', { data: {} }, 'answers without the array "data"'],
    ['an inactive key', undefined, 'does not accept this key'],
  ])('ends when the source answers with %s', async (_name, objects, message) => {
    const target = await service.anotherWorkspace()
    const source = recorded({ '/v2/self': self(objects !== undefined), '/v2/objects': objects })
    await expect(copyInto(target, { url: urlOf(source) }).run()).rejects.toThrow(message)
    await source.stop(true)
  })

  test('reports rows of another shape, and ends at a page that the source repeats', async () => {
    const target = await service.anotherWorkspace()
    const [id, refused] = [crypto.randomUUID(), crypto.randomUUID()]
    const object = { id: { object_id: id }, api_slug: 'people', singular_noun: 'Person', plural_noun: 'People' }
    const rows = [
      { id: { record_id: id }, values: { description: 'no array' } },
      { id: { record_id: refused }, values: { description: [{ value: 7 }] } },
      null,
    ]
    const source = recorded({
      '/v2/self': self(true),
      '/v2/objects': { data: [object, { ...object, api_slug: '../self' }, 'x'] },
      '/v2/objects/people/attributes': {
        data: [await call(target.key, 'GET', '/objects/people/attributes/description')],
      },
      '/v2/objects/people/records/query': { data: rows },
    })
    const { code, problems } = await copyInto(target, { url: urlOf(source) }).run()
    await source.stop(true)
    expect(code).toBe(0)
    expect(problems).toContain(`record,${id},description,The value of the source is not an array.`)
    expect(problems).toMatch(new RegExp(`record,${refused},description,.*invalid value`, 'i'))
    expect(await queryAll(target.key, '/objects/people/records')).toHaveLength(2)
    expect(problems).toContain('/v2/objects,row 1,,The answer has a row of another shape.')
    expect(problems).toContain('records of people,null,,The source answers a row of another shape.')
  })

  test.each([
    [['--to-token', 'x'], 2, '--token is missing. See bun relata copy --help.'],
    [['--token', 'x', '--to-token', 'x', '--to', 'x'], 2, /^--to is an address that begins with/],
    [['--token', 'wrong', '--to-token', 'x'], 1, /token was not recognised/],
  ])('%j is refused', async (words, exit, message) => {
    const problems: string[] = []
    const context = { print: () => {}, printError: (line: string) => void problems.push(line) }
    const env = { RELATA_BASE_URL: urlOf(server) }
    expect(await runCommandLine(['copy', '--from', urlOf(server), ...words], env, context)).toBe(exit)
    expect(problems[0]).toMatch(message)
  })

  test('refuses to copy a workspace into itself', async () => {
    await expect(copyInto(service).run()).rejects.toThrow('are the same workspace')
  })
})

const self = (active: boolean) => ({ active, workspace_id: '9c7bb2f6-5a3e-4f53-8e59-2f3c0c7f2a11' })

/** A source that answers each path with one recorded body and ignores the parameters for pages. */
const recorded = (answers: Readonly<Record<string, unknown>>) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => Response.json(answers[new URL(request.url).pathname] ?? { data: [] }),
  })

/** In front of the service: fails in another way before each third answer, and gives at most two rows of a query. */
function misbehaving() {
  let requests = 0
  const failures = [
    () => new Response('slow down', { status: 429, headers: { 'Retry-After': '7' } }),
    () => new Response('{"data":[{"id"', { headers: { 'Content-Type': 'application/json' } }),
    () => new Response('<html>Bad gateway</html>', { status: 502 }),
  ]
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const failure = ++requests % 3 === 0 ? failures[(requests / 3) % failures.length] : undefined
      if (failure !== undefined) return failure()
      if (!request.url.endsWith('/query')) return service.app.handle(request)
      const body = (await request.json()) as object // the copy sends JSON
      const { method, headers, url } = request
      return service.app.handle(new Request(url, { method, headers, body: JSON.stringify({ ...body, limit: 2 }) }))
    },
  })
}
