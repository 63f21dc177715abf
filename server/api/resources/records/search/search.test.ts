import { beforeAll, describe, expect, test } from 'bun:test'
import { recordTypes } from '#engine/data-model/find'
import { saveIndexRequests } from '#engine/indexes/store'
import { createIndexWorker } from '#engine/indexes/worker'
import { searchIndex } from '#engine/search/search-fields'
import { attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'
import { timestampFromMicros } from '#base/timing/clock'

// Building an index waits for every transaction of the server, also for those of other tests.

const service = useTestService()
let ids: Readonly<Record<string, string>>

const PEOPLE: Record<string, Record<string, unknown>> = {
  ada: {
    name: 'Lovelace, Ada',
    email_addresses: ['ada@analytical.org', 'countess@lovelace.co.uk'],
    twitter: '@enchantress',
  },
  elodie: { name: 'Dupré, Élodie', phone_numbers: ['+33 6 12 34 56 78'] },
  gross: { name: 'Groß, Jörg', phone_numbers: [{ original_phone_number: '0901 234 567', country_code: 'SK' }] },
  obrien: {
    name: "O'Brien, Conan",
    linkedin: 'https://www.linkedin.com/in/team-coco-77/',
    phone_numbers: ['+1 415 555 2671'],
  },
  johnson: { name: 'Johnson, Maria', email_addresses: ['m.johnson@example.com'] },
  johnsen: { name: 'Johnsen, Mario' },
  annabel: { name: 'Lee, Annabel' },
  ann: { name: 'Lee, Ann' },
  dean: { name: 'Dean, Joanna', email_addresses: ['ann@lee.org'] },
  mail: { email_addresses: ['no-name@nowhere.org'] },
  cjk: { name: { first_name: '太郎', last_name: '田中', full_name: '田中 太郎' } },
  wu: { name: 'Wu, Li', job_title: 'Lighthouse keeper', description: 'Knows lighthouses.' },
  nobody: { job_title: 'Nobody at all' },
}
const COMPANIES: Record<string, Record<string, unknown>> = {
  acme: { name: 'Acme Rockets', domains: ['acme.com', 'acme-rockets.io'], twitter: 'acmerockets' },
  analytical: { name: 'Analytical Engines Inc', domains: ['analytical.org'], description: 'They calculate.' },
  adamant: { name: 'Adamant' },
  bare: { domains: ['bare.dev'] },
  microsoft: { name: 'Microsoft', domains: ['microsoft.com'] },
}

const create = async (type: string, values: unknown): Promise<string> => {
  const path = type === 'phone_calls' ? 'activities' : 'objects'
  const { status, body } = await service.request('POST', `/v2/${path}/${type}/records`, { data: { values } })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data.id.record_id
}

async function createAll(object: string, records: Record<string, Record<string, unknown>>) {
  const made: Record<string, string> = {}
  for (const [name, values] of Object.entries(records)) made[name] = await create(object, values)
  return made
}

const AS_WORKSPACE = { type: 'workspace' }
const ask = (body: Record<string, unknown>) =>
  service.request('POST', '/v2/objects/records/search', { objects: ['people'], request_as: AS_WORKSPACE, ...body })

const nameOf = (id: string) => Object.entries(ids).find(([, each]) => each === id)?.[0] ?? id

/** Searches, and returns the names of the hits in this test, best first. */
async function found(query: string, objects = ['people'], limit?: number): Promise<string[]> {
  const { status, body } = await ask({ query, objects, limit })
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.map((hit: { id: { record_id: string } }) => nameOf(hit.id.record_id))
}

const attribute = (members: Record<string, unknown>) => ({ data: attributeInput(members) })

beforeAll(async () => {
  const object = { api_slug: 'projects', singular_noun: 'Project', plural_noun: 'Projects' }
  await service.request('POST', '/v2/objects', { data: object })
  await service.request('POST', '/v2/objects/projects/attributes', attribute({ title: 'Code', api_slug: 'code' }))
  await service.request('POST', '/v2/objects/projects/attributes', attribute({ title: 'Name', api_slug: 'name' }))
  const plain = { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' }
  await service.request('POST', '/v2/objects', { data: plain })
  await service.request('POST', '/v2/objects/people/attributes', attribute({ title: 'Nick', api_slug: 'nick' }))
  ids = {
    ...(await createAll('people', { ...PEOPLE, nick: { name: 'Noname, Nora', nick: 'Zebra' } })),
    ...(await createAll('companies', COMPANIES)),
    ...(await createAll('projects', { apollo: { name: 'Apollo', code: 'Hermes' }, coded: { code: 'Zeus' } })),
    thing: await create('things', {}),
    call: await create('phone_calls', { note: 'Saturn rocket, second stage', direction: 'Inbound' }),
    deal: await create('deals', { name: 'Apollo 🚀 launch', stage: 'Lead', owner: service.member.email_address }),
  }
})

/** Makes the search index of every object and activity, also of those with few records. */
async function makeIndexes(): Promise<void> {
  const { db, url, appContext, workspaceId } = service
  const model = await appContext.models.reload(workspaceId)
  const requests = recordTypes(model).map((object) => ({
    workspaceId,
    entityTypeId: object.id,
    indexRequest: searchIndex(object),
    count: 3,
    requestedBy: ['search'],
  }))
  await saveIndexRequests(db, requests, timestampFromMicros(appContext.now()))
  const worker = createIndexWorker({ db, url, now: appContext.now, unusedDays: 30 })
  while ((await worker.buildNext()) !== undefined);
  const { indexes } = await appContext.models.reload(workspaceId)
  expect([...indexes].sort()).toEqual(requests.map(({ indexRequest }) => indexRequest.name).sort())
}

/** Small objects are scanned, large ones have an index. The results must be the same. */
const WAYS: [string, () => Promise<void>][] = [
  ['read through', async () => {}],
  ['by index', makeIndexes],
]

describe.each(WAYS)('POST /v2/objects/records/search, %s, finds', (_, prepare) => {
  beforeAll(prepare)

  const cases: [string, string, string[]][] = [
    ['a whole name', 'Ada Lovelace', ['ada']],
    ['words in any order', 'lovelace ada', ['ada']],
    ['capitals and spaces anyhow', '  ADA   loveLACE ', ['ada']],
    ['the beginning of a word', 'lov', ['ada']],
    ['the beginnings of several', 'lo ad', ['ada']],
    ['accents left out', 'elodie dupre', ['elodie']],
    ['accents put in', 'Ádá', ['ada']],
    ['ß as ss', 'gross', ['gross']],
    ['ss as ß', 'groß jorg', ['gross']],
    ['a name without the apostrophe', 'obrien', ['obrien']],
    ['a name with it', "o'brien", ['obrien']],
    ['an email address', 'ada@analytical.org', ['ada']],
    ['an email address in capitals', 'ADA@Analytical.ORG', ['ada']],
    ['the second email address', 'countess@lovelace.co.uk', ['ada']],
    ['the beginning of an email address', 'm.john', ['johnson', 'johnsen']],
    ['the domain of an email address', 'lovelace.co.uk', ['ada']],
    ['a handle', '@enchantress', ['ada']],
    ['the address of a profile', 'https://www.linkedin.com/in/team-coco-77', ['obrien']],
    ['a part of a handle', 'coco', ['obrien']],
    ['another script', '田中', ['cjk']],
    ['one sign of it', '太', ['cjk']],
    ['a letter dropped', 'jonson', ['johnson']],
    ['a letter too many', 'lovelaace', ['ada']],
    ['a wrong letter', 'lobelace', ['ada']],
    ['letters swapped', 'lvoelace', ['ada']],
    ['a wrong beginning of a name', 'lobela', ['ada']],
    ['a typing error in one of two words', 'ada lovelcae', ['ada']],
    ['a typing error in each of two words', 'conann obreen', ['obrien']],
    ['two errors in a long word', 'lovelsvce', ['ada']],
    ['nothing by a short word with two errors', 'dvpra', []],
    ['nothing by attributes of the workspace’s own', 'zebra', []],
    ['nothing by other attributes', 'lighthouse', []],
    ['nothing when only some words match', 'ada johnson', []],
    ['nothing by the end of a word', 'velace', []],
    ['a telephone number', '+33612345678', ['elodie']],
    ['its digits with separators', '+33 6 12-34 (56) 78', ['elodie']],
    ['its national form', '0901 234 567', ['gross']],
    ['the beginning of its national form', '0901 23', ['gross']],
    ['its national form in another country', '(415) 555-2671', ['obrien']],
    ['the international prefix dialled', '00421901234567', ['gross']],
    ['a fragment', '345678', ['elodie']],
    ['a fragment in the middle', '5552', ['obrien']],
    ['a fragment of three digits', '671', ['obrien']],
    ['a name and a fragment', 'conan 5552', ['obrien']],
    ['nothing by digits that do not follow each other', '33678', []],
  ]
  test.each(cases)('200 by %s', async (_, query, names) => {
    expect(await found(query)).toEqual(names)
  })

  const others: [string, string, string[], string[]][] = [
    ['a company by name', 'rockets acme', ['companies'], ['acme']],
    ['a company by domain', 'acme.com', ['companies'], ['acme']],
    ['a company by the address of a page', 'https://www.acme-rockets.io/about', ['companies'], []],
    ['a company by its address', 'https://acme-rockets.io/about', ['companies'], ['acme']],
    ['a company by the beginning of a domain', 'acme-ro', ['companies'], ['acme']],
    ['a company by handle', 'acmerockets', ['companies'], ['acme']],
    ['no company by its description', 'calculate', ['companies'], []],
    ['a company without a name by its domain', 'bare', ['companies'], ['bare']],
    ['a company with a typing error', 'micorsoft', ['companies'], ['microsoft']],
    ['a deal by name', 'apolo launch', ['deals'], ['deal']],
    ['a deal by an emoji', '🚀', ['deals'], ['deal']],
    ['a record of an activity by its note', 'staeg saturn', ['phone_calls'], ['call']],
    ['no record of an activity by another attribute', 'inbound', ['phone_calls'], []],
    ['a record by its name', 'apollo', ['projects'], ['apollo']],
    ['no record by another text than its name', 'hermes', ['projects'], []],
    ['records of several objects', 'apollo', ['projects', 'deals', 'people'], ['apollo', 'deal']],
  ]
  test.each(others)('200 %s', async (_, query, objects, names) => {
    expect(await found(query, objects)).toEqual(names)
  })

  test('200 with the first 1,000 characters of a long name', async () => {
    const name = `Longname ${'x'.repeat(5000)}`
    const answer = await service.request('POST', '/v2/objects/companies/records', { data: { values: { name } } })
    const body = { query: 'longname', objects: ['companies'], request_as: { type: 'workspace' } }
    const { data } = (await service.request('POST', '/v2/objects/records/search', body)).body
    expect(data).toMatchObject([{ id: answer.body.data.id, record_text: name.slice(0, 1000) }])
    await service.request('DELETE', `/v2/objects/companies/records/${answer.body.data.id.record_id}`)
    const trash = (await service.request('GET', '/v2/objects/companies/records/trash?limit=1')).body
    expect(trash.data).toMatchObject([{ record_text: name.slice(0, 1000) }])
  })

  test('200 a record by its id, with and without a name', async () => {
    expect(await found(ids.ada!.toUpperCase())).toEqual(['ada'])
    expect(await found(ids.thing!, ['people', 'things'])).toEqual(['thing'])
    expect(await found(ids.ada!, ['companies'])).toEqual([])
  })

  test('200 a record by the name that was written just before, and not by its earlier name', async () => {
    const id = await create('people', { name: 'Newton, Isaac' })
    expect(await found('isaac newton')).toEqual([id])
    await service.request('PATCH', `/v2/objects/people/records/${id}`, { data: { values: { name: 'Hooke, Robert' } } })
    expect(await found('isaac newton')).toEqual([])
    expect(await found('hooke')).toEqual([id])
    await service.request('DELETE', `/v2/objects/people/records/${id}`)
    expect(await found('hooke')).toEqual([])
  })
})

describe('POST /v2/objects/records/search ranks', () => {
  test('200 with an equal key first, of any object', async () => {
    expect(await found('analytical.org', ['people', 'companies'])).toEqual(['analytical', 'ada'])
    expect(await found('ann@lee.org', ['people'])).toEqual(['dean'])
  })

  test('200 with the whole label first, then its words, then beginnings of words, then other words', async () => {
    expect(await found('ann')).toEqual(['ann', 'annabel', 'dean'])
    expect(await found('ann lee')).toEqual(['ann', 'annabel', 'dean'])
    expect(await found('adam', ['people', 'companies'])).toEqual(['adamant', 'ada'])
  })

  test('200 with fewer typing errors before more, and whole words before beginnings', async () => {
    expect(await found('mario')).toEqual(['johnsen', 'johnson'])
    expect(await found('johnsin')).toEqual(['johnsen', 'johnson'])
    expect((await found('johnson'))[0]).toBe('johnson')
  })

  test('200 with the newest of equal hits first', async () => {
    const [first, second] = [await create('people', { name: 'Equal' }), await create('people', { name: 'Equal' })]
    expect(await found('equal')).toEqual([second, first])
    expect(await found('equal', ['people'], 1)).toEqual([second])
  })

  test('200 with the newest records of all objects for an empty query', async () => {
    const newest = await create('people', { name: 'Newest' })
    for (const query of ['', '   '])
      expect(await found(query, ['people', 'deals', 'companies'], 2)).toEqual([newest, expect.any(String)])
    expect(await found('', ['things', 'projects'])).toEqual(['thing', 'coded', 'apollo'])
  })
})
