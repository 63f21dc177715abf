/** Two-sided relationships. See docs/reference/values.md (Relationships). */

import { describe, expect, test } from 'bun:test'
import { checkRelationships } from '../../support/consistency/check-relationships'
import { forThisFile } from '../../support/service/service-per-file'
import { makeRelatedObjects } from '../../support/fixtures/random-writes'
import { startService } from '../../support/service/service'
import { createRecord, expectRefusal, recordIdOf } from '../../support/fixtures/value-cases'

const service = forThisFile(async () => {
  const started = await startService()
  await makeRelatedObjects(started.request)
  return started
})

const make = async (object: string, values: unknown = {}) =>
  recordIdOf(await createRecord(service().request, object, values))

const records = async (object: string, count: number) => Promise.all(Array.from({ length: count }, () => make(object)))

const reference = (target_object: string) => (target_record_id: string) => ({ target_object, target_record_id })

async function write(
  method: 'PATCH' | 'PUT',
  object: string,
  id: string,
  slug: string,
  to: string,
  ids: readonly string[],
) {
  const values = { [slug]: ids.map(reference(to)) }
  const { body } = await service().request(method, `/v2/objects/${object}/records/${id}`, { data: { values } })
  expect(body).toMatchObject({ data: {} })
}

async function targets(object: string, id: string, slug: string): Promise<string[]> {
  const { body } = await service().request('GET', `/v2/objects/${object}/records/${id}`)
  return body.data.values[slug].map(({ target_record_id }: { target_record_id: string }) => target_record_id)
}

/** The standard relationships and those of this test, each from its first side. */
const PAIRS = [
  { a: ['people', 'company'], b: ['companies', 'team'], kind: 'one-many' },
  { a: ['deals', 'associated_people'], b: ['people', 'associated_deals'], kind: 'many-many' },
  { a: ['deals', 'associated_company'], b: ['companies', 'associated_deals'], kind: 'one-many' },
  { a: ['users', 'person'], b: ['people', 'associated_users'], kind: 'one-many' },
  { a: ['users', 'workspace'], b: ['workspaces', 'users'], kind: 'many-many' },
  { a: ['workspaces', 'company'], b: ['companies', 'associated_workspaces'], kind: 'one-many' },
  { a: ['alpha', 'badge'], b: ['beta', 'bearer'], kind: 'one-one' },
  { a: ['beta', 'bearer'], b: ['alpha', 'badge'], kind: 'one-one' },
  { a: ['alpha', 'group'], b: ['beta', 'members'], kind: 'one-many' },
  { a: ['beta', 'whole'], b: ['alpha', 'parts'], kind: 'one-many' },
  { a: ['alpha', 'friends'], b: ['beta', 'fans'], kind: 'many-many' },
  { a: ['alpha', 'spouse'], b: ['alpha', 'spouse_of'], kind: 'one-one' },
  { a: ['alpha', 'manager'], b: ['alpha', 'reports'], kind: 'one-many' },
  { a: ['alpha', 'peers'], b: ['alpha', 'peer_of'], kind: 'many-many' },
] as const

let count = 0
const REQUIRED: Readonly<Record<string, () => Promise<object> | object>> = {
  users: () => ({ user_id: `u${++count}`, primary_email_address: `u${count}@relata.dev` }),
  workspaces: () => ({ workspace_id: `w${++count}` }),
  deals: async () => ({ name: 'x', stage: 'Lead', owner: 'admin@relata.local' }),
}
const fresh = async (object: string) => make(object, (await REQUIRED[object]?.()) ?? {})

describe.each(PAIRS)('$a of $kind with $b', ({ a: [objectA, slugA], b: [objectB, slugB], kind }) => {
  test('writing one side changes the other, with the system as the actor', async () => {
    const [a, b] = [await fresh(objectA), await fresh(objectB)]
    await write('PATCH', objectA, a, slugA, objectB, [b])
    expect(await targets(objectB, b, slugB)).toEqual([a])
    const own = (await service().request('GET', `/v2/objects/${objectA}/records/${a}`)).body.data.values[slugA][0]
    const mirror = (await service().request('GET', `/v2/objects/${objectB}/records/${b}`)).body.data.values[slugB][0]
    expect(own.created_by_actor.type).toBe('api-token')
    expect(mirror.created_by_actor).toEqual({ type: 'system', id: null })
    expect(mirror.active_from).toBe(own.active_from)
  })

  test('writing the other side changes the first one', async () => {
    const [a, b] = [await fresh(objectA), await fresh(objectB)]
    await write('PUT', objectB, b, slugB, objectA, [a])
    expect(await targets(objectA, a, slugA)).toEqual([b])
    const own = (await service().request('GET', `/v2/objects/${objectB}/records/${b}`)).body.data.values[slugB][0]
    const mirror = (await service().request('GET', `/v2/objects/${objectA}/records/${a}`)).body.data.values[slugA][0]
    expect(own.created_by_actor.type).toBe('api-token')
    expect(mirror.created_by_actor).toEqual({ type: 'system', id: null })
  })

  test('a second partner is added, or replaces the first one', async () => {
    const [a1, a2, b1, b2] = [await fresh(objectA), await fresh(objectA), await fresh(objectB), await fresh(objectB)]
    await write('PATCH', objectA, a1, slugA, objectB, [b1])
    await write('PATCH', objectA, a2, slugA, objectB, [b1])
    expect(await targets(objectB, b1, slugB)).toEqual(kind === 'one-one' ? [a2] : [a2, a1])
    expect(await targets(objectA, a1, slugA)).toEqual(kind === 'one-one' ? [] : [b1])
    await write('PATCH', objectA, a2, slugA, objectB, [b2])
    expect(await targets(objectA, a2, slugA)).toEqual(kind === 'many-many' ? [b2, b1] : [b2])
    expect((await targets(objectB, b1, slugB)).includes(a2)).toBe(kind === 'many-many')
    expect(await targets(objectB, b2, slugB)).toEqual([a2])
  })

  test('removing a reference ends it on both sides, and so does deleting the record; both keep their history', async () => {
    const [a, b] = [await fresh(objectA), await fresh(objectB)]
    await write('PUT', objectA, a, slugA, objectB, [b])
    await write('PUT', objectB, b, slugB, objectA, [])
    expect(await targets(objectA, a, slugA)).toEqual([])
    await write('PUT', objectA, a, slugA, objectB, [b])
    await write('PUT', objectA, a, slugA, objectB, [])
    expect(await targets(objectB, b, slugB)).toEqual([])
    for (const [object, id, slug] of [
      [objectA, a, slugA],
      [objectB, b, slugB],
    ] as const) {
      const path = `/v2/objects/${object}/records/${id}/attributes/${slug}/values?show_historic=true`
      expect((await service().request('GET', path)).body.data).toHaveLength(2)
    }
    await write('PUT', objectA, a, slugA, objectB, [b])
    await service().request('DELETE', `/v2/objects/${objectB}/records/${b}`)
    expect(await targets(objectA, a, slugA)).toEqual([])
  })
})

describe('the side with several values', () => {
  test('new members leave their earlier group, and come first in the order of the request', async () => {
    const [g1 = '', g2 = ''] = await records('beta', 2)
    const [m1 = '', m2 = '', m3 = ''] = await records('alpha', 3)
    await write('PUT', 'beta', g1, 'members', 'alpha', [m1, m2])
    expect(await targets('beta', g1, 'members')).toEqual([m1, m2])
    await write('PATCH', 'beta', g1, 'members', 'alpha', [m3])
    expect(await targets('beta', g1, 'members')).toEqual([m3, m1, m2])
    await write('PATCH', 'beta', g2, 'members', 'alpha', [m2, m3])
    expect(await targets('beta', g2, 'members')).toEqual([m2, m3])
    expect(await targets('beta', g1, 'members')).toEqual([m1])
    expect(await targets('alpha', m2, 'group')).toEqual([g2])
    await write('PUT', 'beta', g2, 'members', 'alpha', [m3, m2])
    expect(await targets('beta', g2, 'members')).toEqual([m3, m2])
  })

  test('200 for a relationship of a record with itself', async () => {
    const id = await make('alpha')
    for (const [slug, reverse] of [
      ['manager', 'reports'],
      ['peers', 'peer_of'],
      ['spouse', 'spouse_of'],
    ] as const) {
      await write('PUT', 'alpha', id, slug, 'alpha', [id])
      expect(await targets('alpha', id, reverse)).toEqual([id])
    }
    expect(await checkRelationships(service().request, { alpha: [id] })).toEqual([])
    expect((await service().request('DELETE', `/v2/objects/alpha/records/${id}`)).body).toEqual({})
  })

  test('400 for an unknown member', async () => {
    const values = { team: [{ target_object: 'people', target_record_id: '01890a5d-ac96-774b-bcce-b302099a8057' }] }
    expectRefusal(await createRecord(service().request, 'companies', values), 400, 'value_not_found')
  })
})
