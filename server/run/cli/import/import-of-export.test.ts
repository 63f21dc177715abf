/** What an importable export writes, an import reads back without a change: docs/import.md (Files of an export). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { TYPE_NAMES } from '#vocabulary/data-model'
import { createThing, createThingAttribute, createThings, succeed } from '#engine/query/testing/things'
import { runCommand, useFolder } from '#testing/command-line'
import { importsOf, planOf } from '#testing/imports'
import { usePerson, useTestService } from '#testing/use-service'
import { importCommand } from './command'

const service = useTestService()
const admin = usePerson(service)
const folder = useFolder()

const PRICES = ['12345678901234567890.1234', -3.5, 0, '-99999999999999999999', 1200]
const LONG = `''=${'x'.repeat(70_000)}`
const TEXTS = [
  ' two spaces ',
  '=1+1',
  "'=1",
  "''-x",
  '-',
  'n/a',
  'a "quoted", text\r\nwith lines',
  '\tTab',
  "'",
  '0007',
  LONG,
  'é'.repeat(40_000),
]
const TITLES = ['Red; or dead', 'Research, Development', 'A|B', '-10%', 'none', "'+1"]

let acme: string

beforeAll(async () => {
  const { request } = service
  await createThings(request)
  for (const title of TITLES)
    await succeed(request('POST', '/v2/objects/things/attributes/colors/options', { data: { title } }))
  await createThingAttribute(request, 'people', { api_slug: 'tags', type: 'text' })
  acme = await createThing(request, 'companies', { name: 'Acme', domains: ['www.com', 'acme.example.com'] })
  const ada = await createThing(request, 'people', {
    name: { first_name: 'Null', last_name: 'van Unknown', full_name: ' Ada, Countess of Lovelace ' },
    email_addresses: ['ada@example.com', 'ada@example.org'],
    company: acme,
    tags: 'x',
    primary_location: {
      ...PLACE,
      region: 'Unknown',
      country_code: 'GB',
      latitude: '-51.5',
      longitude: '+0.12',
    },
  })
  await createThing(request, 'people', { email_addresses: ['none@example.com'], tags: 'y' })
  const nameless = await createThing(request, 'people', { tags: 'has no address' })
  const first = await createThing(request, 'things', { code: 'one' })
  for (const [at, text] of TEXTS.entries())
    await createThing(request, 'things', {
      name: text,
      code: `code ${at}`,
      amount: [1e-7, 1e21, -0.5, 1234.567, 12][at % 5],
      stars: (at % 5) + 1,
      price: PRICES[at % 5],
      done: at % 2 === 0,
      day: ['2024-02-29', '0044-03-15'][at % 2],
      moment: '2024-01-02T03:04:05.123456789Z',
      site: 'www.net',
      sites: ['www.com', 'b.example.com'],
      mail: 'Some.One@Example.com',
      mails: [`a${at}@example.com`, `b${at}@example.com`],
      phone: '+44 20 7946 0958',
      phones: ['+1 415 555 2671', '+44 20 7946 0958'],
      place: { ...PLACE, locality: '=Köln', line_2: ' Hinterhaus ' },
      color: 'Red',
      colors: TITLES,
      state: 'Done 🎉',
      actor: service.member.email_address,
      actors: [service.member.email_address],
      parent: first,
      others: [
        { target_object: 'people', target_record_id: ada },
        { target_object: 'people', target_record_id: nameless },
        { target_object: 'companies', target_record_id: acme },
      ],
    })
})

const PLACE = {
  line_1: null,
  line_2: null,
  line_3: null,
  line_4: null,
  locality: 'London',
  region: null,
  postcode: '0012',
  country_code: null,
  latitude: null,
  longitude: null,
}

const exported = async (object: string, parameters: Readonly<Record<string, string>> = {}) => {
  const query = new URLSearchParams({ format: 'csv', importable: 'true', ...parameters })
  return service.request('GET', `/v2/objects/${object}/records/export?${query}`)
}

/** What a value has only from the request that wrote it. */
const WRITTEN_AGAIN = { active_from: 0, created_by_actor: 0, original_email_address: 0, original_phone_number: 0 }

let files = 0

async function importText(object: string, text: string): Promise<string> {
  const path = join(folder, `${++files}.csv`)
  await Bun.write(path, text)
  return (await runCommand(service, importCommand, [object, path])).join('\n')
}

const everything = async (object: string) =>
  (await service.request('POST', `/v2/objects/${object}/records/query`, {})).body.data

describe('an importable export', () => {
  test('has values of all types that an import writes', async () => {
    const attributes = ['things', 'people'].map((object) => service.request('GET', `/v2/objects/${object}/attributes`))
    const types = (await Promise.all(attributes)).flatMap(({ body }) =>
      body.data.map(({ type }: { type: string }) => type),
    )
    expect(TYPE_NAMES.filter((type) => !types.includes(type))).toEqual([])
  })

  test.each(['things', 'people', 'companies'])('of %s is imported without a change', async (object) => {
    const before = await everything(object)
    const { status, body } = await exported(object)
    expect(status).toBe(200)
    const said = await importText(object, body)
    expect(said).toContain(`${before.length} rows read: 0 created, 0 updated, ${before.length} unchanged, 0 skipped`)
    expect(await Bun.file(join(folder, `${files}.csv.errors.csv`)).exists()).toBe(false)
    expect(await everything(object)).toEqual(before)
  })

  test('imported into empty attributes gives the same values', async () => {
    const { body } = await exported('things')
    const before = await everything('things')
    const { data } = (await service.request('GET', '/v2/objects/things/attributes')).body
    const cleared = data.filter(
      ({ is_writable, api_slug }: { is_writable: boolean; api_slug: string }) =>
        is_writable && api_slug !== 'record_id',
    )
    const values = Object.fromEntries(cleared.map(({ api_slug }: { api_slug: string }) => [api_slug, []]))
    for (const { id } of before)
      await succeed(service.request('PUT', `/v2/objects/things/records/${id.record_id}`, { data: { values } }))
    await importText('things', body)
    const plain = (things: { values: Record<string, object[]> }[]) =>
      things.map((thing) =>
        Object.entries(thing.values).map(([slug, of]) => [slug, of.map((one) => ({ ...one, ...WRITTEN_AGAIN }))]),
      )
    expect(plain(await everything('things'))).toEqual(plain(before))
  })

  test('names references by unique values, and has record_id whatever the attributes are', async () => {
    const { body } = await exported('people', { attributes: 'company,name', filter: JSON.stringify({ tags: 'x' }) })
    const [header, row] = body.split('\r\n')
    expect(header).toBe('record_id,company,name.first_name,name.last_name,name.full_name')
    expect(row).toContain(',www.com,')
  })

  test('proposes its own mapping at the console, and updates records by their ids', async () => {
    const { body } = await exported('companies', { attributes: 'name,primary_location' })
    const imports = importsOf(service, admin)
    const { data } = (
      await imports.upload(body.replace('Acme', 'Acme Ltd').replace('\r\n', ',Notes\r\n').trim() + ',x\r\n')
    ).body
    expect(data.matches[0]).toBe('record_id')
    const targets = data.columns.map(({ target }: { target: string }) => target)
    expect(targets.slice(0, 3)).toEqual(['record_id', 'name', 'primary_location.line_1'])
    const preview = await admin.ask('POST', `${imports.path}/${data.id}/preview`, planOf(data.columns))
    expect(preview.body.data.rows).toMatchObject([{ known: 'known', skipped: null }])
  })
})

describe('rows with record ids', () => {
  const UNKNOWN = '0b1c2d3e-0000-4000-8000-000000000001'

  test('are skipped for an id that no record has', async () => {
    const text = `record_id,name\r\n${acme},Acme\r\n${UNKNOWN},Other\r\n`
    expect(await importText('companies', text)).toContain('2 rows read: 0 created, 0 updated, 1 unchanged, 1 skipped')
    expect(await Bun.file(join(folder, `${files}.csv.errors.csv`)).text()).toContain(
      `No record has the ID ""${UNKNOWN}""`,
    )
  })

  test('with ids of another program are matched as before', async () => {
    const said = await importText('companies', 'record_id,name\r\n12,Acme\r\n13,Acme\r\n')
    expect(said).toContain('record_id  left out')
    expect(said).toContain('2 rows read: 0 created, 0 updated, 2 unchanged, 0 skipped')
  })

  test('create records where the cell is empty', async () => {
    const said = await importText('companies', `record_id,name\r\n${acme},Acme\r\n,Brand new\r\n`)
    expect(said).toContain('2 rows read: 1 created, 0 updated, 1 unchanged, 0 skipped')
  })
})

describe('400', () => {
  test.each([
    ['people', { format: 'ndjson' }],
    ['people', { raw: 'true' }],
  ])('for %s with %j', async (object, parameters) => {
    expect((await exported(object, parameters)).status).toBe(400)
  })
})
