/** See docs/reference/records.md (Following). */

import { describe, expect, test } from 'bun:test'
import type { Person } from '#testing/people'
import { trashClient } from '#testing/trash'
import { usePerson, useTestService } from '#testing/use-service'

const ABSENT = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const ada = usePerson(service)
const bob = usePerson(service, 'member')
const records = trashClient(service)

const path = (rest = '') => `/console/api/workspaces/${service.workspaceId}/followed-records${rest}`
const follow = (person: Person, id: string, object = 'people') => person.ask('PUT', path(`/${object}/${id}`))
const unfollow = (person: Person, id: string) => person.ask('DELETE', path(`/people/${id}`))
const followed = async (person: Person, query = ''): Promise<string[]> =>
  (await person.ask('GET', path(query))).body.data.map((one: { record_id: string }) => one.record_id)
const restore = (id: string) => records.restore('people', id)
async function merge(primary_record_id: string, secondary_record_id: string): Promise<string> {
  const data = { primary_record_id, secondary_record_id }
  return (await service.request('POST', '/v2/objects/people/records/merge', { data })).body.data.new_record_id
}

describe('followed-records', () => {
  test('200 the last followed first, for the member only; again changes nothing', async () => {
    const [first, second] = [await records.create('people'), await records.create('companies')]
    expect((await follow(ada, first)).status).toBe(200)
    service.setNow(service.appContext.now() + 1_000_000)
    for (const id of [second, second.toUpperCase()]) expect((await follow(ada, id, 'companies')).status).toBe(200)
    service.setNow()
    const { body } = await ada.ask('GET', path())
    expect(body.data).toEqual([
      {
        object_id: expect.any(String),
        object_slug: 'companies',
        record_id: second,
        followed_at: expect.any(String),
      },
      { object_id: expect.any(String), object_slug: 'people', record_id: first, followed_at: expect.any(String) },
    ])
    expect(await followed(bob)).toEqual([])
    expect(await followed(ada, `?record_id=${first.toUpperCase()}`)).toEqual([first])
    for (const _ of ['first', 'second']) expect((await unfollow(ada, second)).status).toBe(200)
    expect([await followed(ada), await followed(ada, `?record_id=${second}`)]).toEqual([[first], []])
  })

  test('404 for what does not exist, is of another object or workspace, or is hidden; 400 for what is no id', async () => {
    const id = await records.create('deals', { name: 'D', stage: 'Lead', owner: service.member.id })
    const { body } = await service.request('GET', '/v2/objects/deals')
    for (const [record, object] of [
      [ABSENT, 'people'],
      ['x', 'people'],
      [id, 'people'],
      [id, 'nothing'],
    ] as const)
      expect([record, (await follow(bob, record, object)).status]).toEqual([record, 404])
    expect((await ada.ask('GET', path('?record_id=x'))).status).toBe(400)
    expect((await unfollow(bob, 'x')).status).toBe(200)
    expect((await follow(bob, id, 'deals')).status).toBe(200)
    const access = `/console/api/workspaces/${service.workspaceId}/objects/${body.data.id.object_id}/access`
    await ada.ask('PUT', access, { members: 'hidden', teams: [] })
    expect([await followed(bob), (await follow(bob, id, 'deals')).status]).toEqual([[], 404])
    await ada.ask('PUT', access, { members: 'read-only', teams: [] })
    expect([await followed(bob), (await follow(bob, id, 'deals')).status]).toEqual([[id], 200])
  })

  test('400 for more than 500', async () => {
    const id = await records.create('people')
    expect((await follow(bob, id)).status).toBe(200)
    await service.db.sql`
      insert into relata.record_followers
      select workspace_id, object_id, md5(i::text)::uuid, member_id, followed_at
      from relata.record_followers, generate_series(1, 500) i where record_id = ${id}`
    expect((await follow(bob, await records.create('people'))).body.code).toBe('quota_exceeded')
    expect((await followed(bob)).length).toBe(500)
    await service.db.sql`delete from relata.record_followers`
  })
})

test('a deleted record is not followed, and a restored one is again', async () => {
  const id = await records.create('people')
  await follow(ada, id)
  await records.remove('people', id)
  expect(await followed(ada)).toEqual([])
  expect((await restore(id)).status).toBe(200)
  expect(await followed(ada)).toEqual([id])
  expect((await records.purge('people', id)).status).toBe(200)
  expect(await followed(ada)).toEqual([])
})

test('who follows an original of a merge follows the new record, once; a restored original has its followers again', async () => {
  const [primary, secondary] = [await records.create('people'), await records.create('people')]
  for (const id of [primary, secondary]) await follow(ada, id)
  await follow(bob, secondary)
  const merged = await merge(primary, secondary)
  expect([await followed(ada), await followed(bob)]).toEqual([[merged], [merged]])
  expect((await restore(secondary)).status).toBe(200)
  expect([(await followed(ada)).toSorted(), await followed(bob)]).toEqual([[merged, secondary].toSorted(), [secondary]])
  expect((await restore(primary)).status).toBe(200)
  expect((await followed(ada)).toSorted()).toEqual([primary, secondary].toSorted())
})
