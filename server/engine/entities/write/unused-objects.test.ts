/** Standard objects that not every workspace uses: what changes at their first record, and that every way to create it works. */

import { describe, expect, test } from 'bun:test'
import { createModelCache } from '#engine/data-model/cache'
import { markUsed } from '#engine/data-model/change-model'
import { getObject } from '#engine/data-model/find'
import { loadDataModel } from '#engine/data-model/load'
import { layoutOf } from '#engine/storage/layout'
import { createClient } from '#testing/client'
import { importsOf, planOf } from '#testing/imports'
import { usePerson, useTestService } from '#testing/use-service'
import { createApp } from '../../../app'

const service = useTestService()
const admin = usePerson(service)

const PEOPLE = '/v2/objects/people/records'
const DEALS = '/v2/objects/deals/records'

/** A new workspace with a person. */
async function newWorkspace() {
  const workspace = await service.anotherWorkspace()
  const { key, workspaceId, member } = workspace
  const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    service.request(method, path, body, { key, headers })
  const created = await send('POST', PEOPLE, { data: { values: { name: 'Ada Lovelace' } } })
  const person: string = created.body.data.id.record_id
  const deal = { values: { name: 'Engine', stage: 'Lead', owner: member.email_address, associated_people: [person] } }
  const unused = async () => {
    const { entityTypes } = await loadDataModel(service.db, workspaceId)
    return entityTypes.filter(({ isUnused }) => isUnused).map(({ api_slug }) => api_slug)
  }
  const dealsOf = async (id: string) => (await send('GET', `${PEOPLE}/${id}`)).body.data.values.associated_deals
  return { ...workspace, send, person, deal, unused, dealsOf }
}

type Deal = Awaited<ReturnType<typeof newWorkspace>>['deal']

const UNUSED = ['deals', 'users', 'workspaces', 'phone_calls']
const WITH_DEALS = UNUSED.slice(1)

test('a new workspace uses people and companies, and reads of them name no table of the others', async () => {
  const { workspaceId, unused, dealsOf, person } = await newWorkspace()
  expect(await unused()).toEqual(UNUSED)
  const model = await service.appContext.models.get(workspaceId)
  for (const slug of ['people', 'companies']) {
    const { select } = layoutOf(model, getObject(model, slug))
    for (const { table, isUnused } of model.entityTypes) if (isUnused) expect(select).not.toContain(table)
  }
  expect(await dealsOf(person)).toEqual([])
})

describe('the first record of an unused object', () => {
  test.each<[string, (deal: Deal) => [string, string, object, Record<string, string>?]]>([
    ['a creation', (deal) => ['POST', DEALS, { data: deal }]],
    ['a creation with an Idempotency-Key', (deal) => ['POST', DEALS, { data: deal }, { 'Idempotency-Key': 'first' }]],
    [
      'a batch',
      (deal) => [
        'POST',
        `${DEALS}/batch`,
        {
          data: {
            operations: [
              { op: 'create', ...deal },
              { op: 'create', ...deal },
            ],
          },
        },
      ],
    ],
    [
      'an atomic batch with an Idempotency-Key',
      (deal) => [
        'POST',
        `${DEALS}/batch`,
        { data: { operations: [{ op: 'create', ...deal }], atomic: true } },
        { 'Idempotency-Key': 'batch' },
      ],
    ],
    [
      'an upsert',
      (deal) => [
        'PUT',
        '/v2/objects/users/records?matching_attribute=user_id',
        {
          data: {
            values: {
              user_id: 'ada',
              primary_email_address: 'ada@example.com',
              person: deal.values.associated_people[0],
            },
          },
        },
      ],
    ],
  ])('%s is shown at the other side of its relationship', async (_, requestOf) => {
    const { send, person, deal, unused } = await newWorkspace()
    const [method, path, body, headers] = requestOf(deal)
    const { status } = await send(method, path, body, headers)
    expect(status).toBe(200)
    const object = path.includes('users') ? 'users' : 'deals'
    expect(await unused()).toEqual(UNUSED.filter((slug) => slug !== object))
    const { values } = (await send('GET', `${PEOPLE}/${person}`)).body.data
    expect(values[`associated_${object}`].length).toBe(path.endsWith('batch') && headers === undefined ? 2 : 1)
    const page = (await send('POST', `${PEOPLE}/query`, {})).body.data
    expect(page[0].values).toEqual(values)
  })

  test('two at once are both created', async () => {
    const { send, person, deal, unused, dealsOf } = await newWorkspace()
    const answers = await Promise.all([1, 2].map(() => send('POST', DEALS, { data: deal })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect((await dealsOf(person)).length).toBe(2)
    expect(await unused()).toEqual(WITH_DEALS)
  })

  test('a refused creation, and a dry run, leave the object unused', async () => {
    const { send, person, deal, unused, dealsOf } = await newWorkspace()
    expect((await send('POST', DEALS, { data: { values: { name: 'Engine', stage: 'No stage' } } })).status).toBe(400)
    const missing = crypto.randomUUID()
    const dry = await send('POST', `${DEALS}?dry_run=true`, { data: deal })
    expect(dry.status).toBe(200)
    expect(await unused()).toEqual(UNUSED)
    expect(
      (await send('POST', DEALS, { data: { values: { ...deal.values, associated_people: [missing] } } })).status,
    ).toBe(400)
    expect(await dealsOf(person)).toEqual([])
  })

  test('a process that ended between the mark and the record leaves an object that can be written', async () => {
    const { send, person, deal, unused, dealsOf, workspaceId } = await newWorkspace()
    const model = await service.appContext.models.get(workspaceId)
    await markUsed(service.db, workspaceId, getObject(model, 'deals').id)
    expect(await unused()).toEqual(WITH_DEALS)
    expect(await dealsOf(person)).toEqual([])
    expect((await send('POST', DEALS, { data: deal })).status).toBe(200)
    expect((await dealsOf(person)).length).toBe(1)
  })

  test('another process, with the data model before it, creates further ones', async () => {
    const { send, person, deal, key, workspaceId, dealsOf } = await newWorkspace()
    const models = await createModelCache(service.db)
    const outdated = await models.get(workspaceId)
    const other = createClient(
      createApp({ ...service.appContext, models: { ...models, get: async () => outdated } }),
      key,
    )
    expect((await send('POST', DEALS, { data: deal })).status).toBe(200)
    expect((await other('POST', DEALS, { data: deal })).status).toBe(200)
    expect((await dealsOf(person)).length).toBe(2)
    await models.close()
  })

  test('it is at the other side in SQL, and after its restoration', async () => {
    const { send, deal, person, dealsOf } = await newWorkspace()
    const count = async () => {
      const sql = 'select count(*) from objects.people where cardinality(associated_deals) = 1'
      return (await send('POST', '/v2/sql', { sql })).body.data.rows[0].count
    }
    expect(await count()).toBe(0)
    const created = await send('POST', DEALS, { data: deal })
    expect(await count()).toBe(1)
    const id: string = created.body.data.id.record_id
    await send('DELETE', `${DEALS}/${id}`)
    expect(await dealsOf(person)).toEqual([])
    expect((await send('POST', `${DEALS}/${id}/restore`)).status).toBe(200)
    expect((await dealsOf(person)).length).toBe(1)
  })

  test('an import creates it', async () => {
    const { upload, path, runAll } = importsOf(service, admin)
    const { data } = (await upload('ID,Name\n7,Acme', { object: 'workspaces' })).body
    expect((await admin.ask('POST', `${path}/${data.id}/start`, planOf(data.columns))).status).toBe(200)
    await runAll()
    const found = (await service.request('POST', '/v2/objects/workspaces/records/query', {})).body.data
    expect(found.length).toBe(1)
    const { entityTypes } = await loadDataModel(service.db, service.workspaceId)
    expect(entityTypes.filter(({ isUnused }) => isUnused).map(({ api_slug }) => api_slug)).toEqual([
      'deals',
      'users',
      'phone_calls',
    ])
  })
})
