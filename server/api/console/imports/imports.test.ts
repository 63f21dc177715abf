import { beforeAll, describe, expect, test } from 'bun:test'
import { companies, importsOf, planOf } from '#testing/imports'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { leaseImport } from './leases'

const service = useTestService()
const admin = usePerson(service)
let imports: ReturnType<typeof importsOf>
beforeAll(async () => {
  imports = importsOf(service, admin)
})

interface Previewed {
  attribute: { api_slug: string }
  column: string
  is_new: boolean
}

const ROWS = `Company,Website,Stage,Raised
Acme,https://acme.com/about,Idea,"$1,200"
Bolt,bolt.com,Growing,lots
Crux,crux.com,Idea,$3
,,,
Dyad,dyad.com,Idea`

const columnsOf = (count: number): string => Array.from({ length: count }, (_, index) => `Column ${index}`).join(',')

describe('POST …/imports', () => {
  test('200 with columns, examples and proposed targets', async () => {
    const { status, body } = await imports.upload(ROWS)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ state: 'ready', file_name: 'made.csv', file_size: ROWS.length, plan: null })
    expect(body.data.columns).toEqual([
      { name: 'Company', examples: ['Acme', 'Bolt', 'Crux'], target: 'name' },
      { name: 'Website', examples: ['https://acme.com/about', 'bolt.com', 'crux.com'], target: 'domains' },
      { name: 'Stage', examples: ['Idea', 'Growing'], target: 'stage:text' },
      { name: 'Raised', examples: ['$1,200', 'lots', '$3'], target: expect.stringMatching(/^raised:/) },
    ])
    expect(body.data.matches[0]).toBe('domains')
    expect(body.data.targets).toContainEqual({ target: 'domains', title: 'Domains', type: 'domain' })
    expect(body.data.targets.map(({ target }: { target: string }) => target)).toContain('primary_location.locality')
  })

  const refused: [name: string, body: string | Uint8Array, status: number, message: RegExp][] = [
    ['an empty file', '', 400, /is empty/],
    ['two columns of one name', 'A,A\n1,2', 400, /Two columns are called "A"/],
    ['another encoding than UTF-8', new Uint8Array([0x4e, 0x61, 0xef, 0x0a]), 400, /not in UTF-8/],
    ['UTF-16 without a mark', new Uint8Array(Buffer.from('A,B\n1,2', 'utf16le')), 400, /is not a text/],
    ['a header without names', ',,\n1,2,3', 400, /names no column/],
    ['too many columns', `${columnsOf(1001)}\n${columnsOf(1001)}`, 400, /more than 1000 columns/],
    ['a long name of a column', `A,${'B'.repeat(1001)}\n1,2`, 400, /more than 1000 characters/],
    ['an open quote', 'A,B\n"1,2', 400, /ends inside quotes/],
    ['a file over the limit', `A\n${'x'.repeat(1_000_001)}`, 413, /larger than the 1 MB/],
  ]
  test.each(refused)('refuses %s, and stores nothing', async (_, body, status, message) => {
    const answer = await imports.upload(body)
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)])
    expect(await service.db.sql`select from relata.imports where state = 'uploading'`).toHaveLength(0)
  })

  test('200 for an example that ends within a character, and for lines that end with a carriage return', async () => {
    const { status, body } = await imports.upload(`Company,Notes\rAcme,${'x'.repeat(79)}😀\rBolt,`)
    expect(status).toBe(200)
    expect(body.data.columns.map(({ examples }: { examples: string[] }) => examples)).toEqual([
      ['Acme', 'Bolt'],
      [`${'x'.repeat(79)}�`],
    ])
  })

  test('404 for an unknown object', async () => {
    expect((await imports.upload(ROWS, { object: 'nothing' })).status).toBe(404)
  })
})

describe('POST …/imports/:import_id/preview', () => {
  test('200 with values, reasons, and whether a record matches', async () => {
    await service.request('POST', '/v2/objects/companies/records', {
      data: { values: { name: 'Acme', domains: ['acme.com'] } },
    })
    const { data } = (await imports.upload(ROWS)).body
    const plan = planOf(data.columns, { Stage: 'stage:select', Raised: 'raised:currency(EUR)' })
    const { status, body } = await admin.ask('POST', `${imports.path}/${data.id}/preview`, plan)
    expect(status).toBe(200)
    expect(body.data.options).toEqual({ stage: ['Idea', 'Growing'] })
    expect(body.data.attributes.map((one: Previewed) => [one.attribute.api_slug, one.column, one.is_new])).toEqual([
      ['name', 'Company', false],
      ['domains', 'Website', false],
      ['stage', 'Stage', true],
      ['raised', 'Raised', true],
    ])
    const [acme, bolt, , dyad] = body.data.rows
    expect(acme).toMatchObject({
      line: 2,
      known: 'known',
      skipped: null,
      values: { domains: [{ domain: 'acme.com' }], stage: [{ option: { title: 'Idea' } }] },
      problems: [{ column: 'Raised', value: '$1,200' }],
    })
    expect(bolt).toMatchObject({ known: 'new', problems: [{ column: 'Raised', value: 'lots' }] })
    expect(dyad.skipped).toBe('This row has 3 columns; the header has 4.')
  })

  const wrong: [change: Record<string, string>, message: RegExp][] = [
    [{ Stage: 'stage' }, /does not have/],
    [{ Stage: 'name' }, /go to the same part/],
    [{ Stage: 'created_at' }, /only the service can write/],
    [{ Stage: 'no such place!' }, /is not a target/],
    [{ Nothing: 'name' }, /no column "Nothing"/],
  ]
  test.each(wrong)('400 for %j', async (change, message) => {
    const { data } = (await imports.upload(ROWS)).body
    const { status, body } = await admin.ask('POST', `${imports.path}/${data.id}/preview`, planOf(data.columns, change))
    expect([status, body.code, body.message]).toEqual([400, 'import_problem', expect.stringMatching(message)])
  })
})

describe('an import', () => {
  test('creates missing attributes and options, counts rows, and lists problems', async () => {
    const path = await imports.begin(ROWS, { Stage: 'phase:select', Raised: 'gained:currency(USD)' })
    await imports.runAll()
    const done = await imports.shown(path)
    expect(done).toMatchObject({ state: 'finished', failure: null, problems: 2 })
    expect(done.counts).toMatchObject({ read: 4, created: 2, updated: 1, skipped: 1, incomplete: 1 })
    const { body } = await admin.ask('GET', `${path}/problems`)
    expect(body.split('\r\n')).toEqual([
      'line,outcome,column,value,reason',
      expect.stringMatching(/^3,left out,Raised,lots,/),
      expect.stringMatching(/^6,skipped,,,/),
      '',
    ])
    const query = { filter: { domains: 'crux.com' } }
    const { data } = (await service.request('POST', '/v2/objects/companies/records/query', query)).body
    expect(data[0].values.phase[0].option.title).toBe('Idea')
    expect(data[0].values.name[0].created_by_actor).toMatchObject({ id: admin.memberIds[service.workspaceId] })
    const [pieces] = await service.db.sql`select count(*)::int from relata.import_pieces where import_id = ${done.id}`
    expect(pieces?.count).toBe(0)
  })

  test('409 for a second start, and for deleting it before it ends', async () => {
    const path = await imports.begin('Company,Website\nOnce,once.com')
    expect((await admin.ask('POST', `${path}/start`, planOf([{ name: 'Company', target: 'name' }]))).status).toBe(409)
    expect((await admin.ask('DELETE', path)).status).toBe(409)
    await imports.runAll()
    expect((await admin.ask('DELETE', path)).status).toBe(200)
    expect((await admin.ask('GET', path)).status).toBe(404)
  })

  test('fails with a message when its attribute was deleted', async () => {
    const path = await imports.begin('Company,Website,Colour\nRed,red.com,red', { Colour: 'colour:text' })
    const [row] = await service.db.sql`
      update relata.imports set plan = jsonb_set(plan, '{columns,Colour}', '"gone"') where id = ${path.split('/').at(-1) ?? ''}
      returning id`
    expect(row).toBeDefined()
    await imports.runAll()
    expect(await imports.shown(path)).toMatchObject({
      state: 'failed',
      failure: expect.stringMatching(/does not have/),
    })
  })

  test('continues after the rows that a dead worker counted', async () => {
    const path = await imports.begin(companies('Row', 1200))
    const id = path.split('/').at(-1) ?? ''
    const { db, appContext } = service
    // Another process leased it and counted 700 rows, and its lease ends.
    await leaseImport(db, appContext.now())
    const counts = { read: 700, created: 700, updated: 0, unchanged: 0, skipped: 0, repeated: 0, incomplete: 0 }
    await db.sql`update relata.imports set counts = ${JSON.stringify(counts)}::text::jsonb where id = ${id}`
    service.setNow(appContext.now() + 61_000_000)
    await imports.runAll()
    service.setNow()
    expect((await imports.shown(path)).counts).toMatchObject({ read: 1200, created: 1200 })
    const query = { filter: { name: 'Row 699' } }
    expect((await service.request('POST', '/v2/objects/companies/records/query', query)).body.data).toHaveLength(0)
    const later = { filter: { name: 'Row 700' } }
    expect((await service.request('POST', '/v2/objects/companies/records/query', later)).body.data).toHaveLength(1)
  })

  test('403 for a member when it would create attributes or options, in any row', async () => {
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const option = { title: 'Wide', description: '', api_slug: 'width', type: 'select', config: {} }
    const rest = { is_required: false, is_unique: false, is_multiselect: false }
    await service.request('POST', '/v2/objects/companies/attributes', { data: { ...option, ...rest } })
    const { data } = (await imports.upload('Company,Website,Oddness\nOdd,odd.com,very', { who: member })).body
    const targets = data.columns.map(({ target }: { target: string }) => target)
    expect(targets).toEqual(['name', 'domains', 'skip'])
    const start = (changes: Record<string, string>) =>
      member.ask('POST', `${imports.path}/${data.id}/start`, planOf(data.columns, changes))
    const refused = await start({ Oddness: 'oddness:text' })
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('the attribute "Oddness"')])
    const adding = await start({ Oddness: 'width' })
    expect([adding.status, adding.body.message]).toEqual([403, expect.stringContaining('the option "very" of width')])

    const late = `${companies('Late', 30)},`.replaceAll('\n', ',\n').replace('Website,', 'Website,Width') + 'huge'
    const file = (await imports.upload(late, { who: member })).body.data
    const path = `${imports.path}/${file.id}`
    const begun = await member.ask('POST', `${path}/start`, planOf(file.columns, { Width: 'width' }))
    expect(begun.status).toBe(200)
    await imports.runAll()
    expect(await imports.shown(path)).toMatchObject({ state: 'failed', failure: expect.stringContaining('"huge"') })

    const workspace = `/console/api/workspaces/${service.workspaceId}`
    await admin.ask('PATCH', workspace, { member_permissions: ['import_definitions'] })
    expect((await start({ Oddness: 'oddness:text' })).status).toBe(200)
    await imports.runAll()
    await admin.ask('PATCH', workspace, { member_permissions: [] })
    expect(await imports.shown(`${imports.path}/${data.id}`)).toMatchObject({
      state: 'finished',
      counts: { created: 1 },
    })
  })

  test('404 for the import of an object that was hidden from its member, which is neither cancelled nor deleted', async () => {
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const { data } = (await imports.upload(ROWS, { who: member })).body
    const path = `${imports.path}/${data.id}`
    const object = `/console/api/workspaces/${service.workspaceId}/objects/companies/access`
    await admin.ask('PUT', object, { members: 'hidden', teams: [] })
    for (const [method, action] of [
      ['GET', ''],
      ['GET', '/problems'],
      ['GET', '/undo'],
      ['POST', '/undo'],
      ['POST', '/cancel'],
      ['DELETE', ''],
    ] as const)
      expect([action, (await member.ask(method, path + action)).status]).toEqual([action, 404])
    expect((await admin.ask('GET', path)).body.data.state).toBe('ready')
    await admin.ask('PUT', object, { members: 'read-write', teams: [] })
    expect((await member.ask('DELETE', path)).status).toBe(200)
  })

  test('is visible to the member who uploaded it and to admins', async () => {
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const other = await signedIn(service, { [service.workspaceId]: 'member' })
    const { data } = (await imports.upload(ROWS, { who: member })).body
    const path = `${imports.path}/${data.id}`
    expect((await member.ask('GET', path)).status).toBe(200)
    expect((await admin.ask('GET', path)).status).toBe(200)
    expect((await other.ask('GET', path)).status).toBe(404)
    const listed = await other.ask('GET', `${imports.path}?object=companies`)
    expect(listed.body.data).toEqual([])
    expect((await admin.ask('GET', `${imports.path}/nonsense`)).status).toBe(404)
  })
})
