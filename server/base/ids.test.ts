/** All ids in responses have the form of version 4, also those that PostgreSQL makes. Older ids stay valid. See docs/decisions/storage.md. */

import { describe, expect, test } from 'bun:test'
import { getObject } from '#engine/data-model/find'
import { attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { makeApp } from '#testing/oauth'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'
import { idBefore, newId } from './ids'

const VERSION_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('newId', () => {
  test('has the form of version 4, and begins with the time in milliseconds', () => {
    const before = Date.now()
    const id = newId()
    expect(id).toMatch(VERSION_4)
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBeWithin(before, Date.now() + 1)
  })

  test('returns ids in the order of their creation, also within a millisecond', () => {
    const ids = Array.from({ length: 10_000 }, newId)
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test('idBefore is smaller than every id since then, and greater than older ones', () => {
  const [id, bound] = [newId(), idBefore(1000)]
  expect(bound).toMatch(VERSION_4)
  expect([bound < id, bound > idBefore(100_000)]).toEqual([true, true])
})

const service = useTestService()

const ask = async (method: string, path: string, data?: unknown) => {
  const { status, body } = await service.request(method, path, data === undefined ? undefined : { data })
  expect([path, status, body.message]).toEqual([path, 200, undefined])
  return body.data
}
const people = '/v2/objects/people/records'

/** Every text in an answer that is an id. */
function idsIn(answer: unknown): string[] {
  const ids: string[] = []
  JSON.stringify(answer, (_, value: unknown) => {
    if (typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) ids.push(value)
    return value
  })
  return ids
}

describe('ids in answers', () => {
  test('have the form of version 4', async () => {
    const list = await listClient(service).list()
    const person = await ask('POST', people, { values: { name: 'Ada Lovelace' } })
    const data = {
      target_url: 'https://example.com/hook',
      subscriptions: [{ event_type: 'record.created', filter: null }],
    }
    const answers = [
      person,
      await ask('POST', '/v2/objects', { api_slug: 'ships', singular_noun: 'Ship', plural_noun: 'Ships' }),
      await ask('POST', '/v2/objects/ships/attributes', attributeInput({ type: 'select', api_slug: 'kind' })),
      await ask('POST', '/v2/objects/ships/attributes/kind/options', { title: 'Barge' }),
      await listClient(service).create(list, person.id.record_id),
      await ask('POST', `/v2/lists/${list}/views`, { title: 'A view', type: 'table' }),
      await ask('POST', '/v2/webhooks', data),
      await ask('GET', '/v2/objects/people/attributes'),
      await ask('GET', '/v2/objects/deals/attributes/stage/statuses'),
      await ask('GET', '/v2/workspace_members'),
      (await service.request('GET', '/v2/self')).body,
      await service.events(),
      (await service.request('GET', '/v2/events')).body,
    ]
    const ids = answers.flatMap(idsIn)
    expect(ids.length).toBeGreaterThan(100)
    for (const id of ids) expect(id).toMatch(VERSION_4)
  })

  test('of people at the console and of apps as well', async () => {
    const person = await signedIn(service)
    const { app } = await makeApp(service)
    const workspace = `/console/api/workspaces/${service.workspaceId}`
    const answers = [
      app.id,
      (await person.ask('GET', `${workspace}/keys`)).body,
      (await person.ask('GET', `${workspace}/apps`)).body,
    ]
    const ids = answers.flatMap(idsIn)
    expect(ids.length).toBeGreaterThan(3)
    for (const id of ids) expect(id).toMatch(VERSION_4)
  })
})

test('a record with an id of version 7 is read, changed, found, referred to and deleted', async () => {
  const { table } = getObject(await service.appContext.models.get(service.workspaceId), 'companies')
  const companies = '/v2/objects/companies/records'
  const made = await ask('POST', companies, { values: { name: 'Older' } })
  const record_id = Bun.randomUUIDv7()
  await service.db.sql.unsafe(`update ${table} set id = $1 where id = $2`, [record_id, made.id.record_id])

  const path = `${companies}/${record_id}`
  expect((await ask('GET', path)).id.record_id).toBe(record_id)
  expect((await ask('PATCH', path, { values: { name: 'Old' } })).id.record_id).toBe(record_id)
  const found = await service.request('POST', `${companies}/query`, { filter: { record_id } })
  expect(found.body.data.map(({ id }: { id: { record_id: string } }) => id.record_id)).toEqual([record_id])
  const company = { target_object: 'companies', target_record_id: record_id }
  expect((await ask('POST', people, { values: { company } })).values.company).toMatchObject([company])
  expect((await service.request('DELETE', path)).status).toBe(200)
})
