/** Writes at the same time as a restoration. */

import { expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { reference, trashClient } from '#testing/trash'

const service = useTestService()
const trash = trashClient(service)

const ROUNDS = 8
const statuses = async (requests: readonly Promise<{ status: number }>[]) =>
  (await Promise.all(requests)).map(({ status }) => status)

test('of two restorations, one succeeds', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await trash.create('people', { name: 'One, Only' })
    await trash.remove('people', id)
    const both = await statuses([trash.restore('people', id), trash.restore('people', id)])
    expect(both.toSorted()).toEqual([200, 404])
  }
})

test('of a restoration and a creation with the same unique value, one succeeds', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const values = { email_addresses: [`race-${round}@concurrent.dev`] }
    const id = await trash.create('people', values)
    await trash.remove('people', id)
    const both = await statuses([
      trash.restore('people', id),
      service.request('POST', '/v2/objects/people/records', { data: { values } }),
    ])
    expect([
      [200, 400],
      [409, 200],
    ]).toContainEqual(both)
  }
})

test('a deletion during a restoration leaves the record in the trash or restored, never in part', async () => {
  const lists = listClient(service)
  const list = await lists.list()
  for (let round = 0; round < ROUNDS; round++) {
    const id = await trash.create('people')
    const entry = await lists.entry(list, id)
    await trash.remove('people', id)
    const [restored, removed] = await statuses([trash.restore('people', id), trash.remove('people', id)])
    expect(restored).toBe(200)
    const expected = removed === 200 ? 404 : 200
    expect((await trash.get('people', id)).status).toBe(expected)
    expect((await lists.get(list, entry)).status).toBe(expected)
  }
})

test('a deletion for good during a restoration: the record is restored or gone', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await trash.create('people')
    await trash.remove('people', id)
    const [restored, purged] = await statuses([trash.restore('people', id), trash.purge('people', id)])
    expect(purged).toBe(200)
    expect([200, 404]).toContain(restored ?? 0)
    expect((await trash.get('people', id)).status).toBe(404)
    expect((await trash.restore('people', id)).status).toBe(404)
  }
})

test('two records that refer to each other are deleted and restored at the same time', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const acme = await trash.create('companies')
    const ada = await trash.create('people', { company: reference('companies', acme) })
    expect(await statuses([trash.remove('companies', acme), trash.remove('people', ada)])).toEqual([200, 200])
    expect(await statuses([trash.restore('companies', acme), trash.restore('people', ada)])).toEqual([200, 200])
    expect((await trash.values('people', ada)).company[0].target_record_id).toBe(acme)
  }
})

test('a list is deleted during a restoration', async () => {
  const lists = listClient(service)
  for (let round = 0; round < ROUNDS; round++) {
    const list = await lists.list()
    const id = await trash.create('people')
    await lists.entry(list, id)
    await trash.remove('people', id)
    const both = [trash.restore('people', id), service.request('DELETE', `/v2/lists/${list}`)]
    expect(await statuses(both)).toEqual([200, 200])
    expect((await lists.ofRecord(id)).body.data).toEqual([])
  }
})
