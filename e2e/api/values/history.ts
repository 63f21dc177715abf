/**
 * The history of values.
 * See docs/reference/values.md (History) and docs/reference/objects-and-attributes.md (People, Companies).
 */

import { describe, expect, test } from 'bun:test'
import { createRecord, expectRefusal, ownMembers, pathsIn, recordIdOf } from '../../support/fixtures/value-cases'
import { service } from './service'

/** Creates a record of `everything` with these values of one attribute. */
async function seeded(slug: string, values: unknown) {
  const { request } = service()
  const record = `/v2/objects/everything/records/${recordIdOf(await createRecord(request, 'everything', values))}`
  const path = `${record}/attributes/${slug}/values`
  return {
    record,
    list: async (query = '') => (await request('GET', path + query)).body.data,
    write: (method: 'PATCH' | 'PUT', value: unknown) =>
      request(method, record, { data: { values: { [slug]: value } } }),
    replace: (values: unknown, replace_history: unknown = true) =>
      request('PUT', path, { data: { values, replace_history } }),
  }
}

const HISTORIC = '?show_historic=true'

describe('GET …/attributes/{attribute}/values', () => {
  test('200 with all versions of a single value, oldest first, each ending where the next begins', async () => {
    const { list, write } = await seeded('text', { text: 'one' })
    for (const value of ['two', 'three']) await write('PATCH', value)
    const versions = await list(HISTORIC)
    expect(ownMembers(versions)).toEqual([{ value: 'one' }, { value: 'two' }, { value: 'three' }])
    expect(versions[0].active_until).toBe(versions[1].active_from)
    expect(versions[1].active_until).toBe(versions[2].active_from)
    expect(versions[2].active_until).toBeNull()
    expect(await list()).toEqual([versions[2]])
    expect(await list('?show_historic=false')).toEqual([versions[2]])
  })

  test('200 with an end and no next version for a cleared value', async () => {
    const { list, write } = await seeded('text', { text: 'one' })
    await write('PATCH', null)
    expect(await list()).toEqual([])
    expect((await list(HISTORIC))[0].active_until).not.toBeNull()
  })

  test('200 with each value of a multiselect separately; a change of their order makes no version', async () => {
    const { list, write } = await seeded('selects', { selects: ['Red', 'Blue'] })
    await write('PUT', ['Blue', 'Red'])
    expect(await list(HISTORIC)).toHaveLength(2)
    await write('PUT', ['Blue'])
    const versions = await list(HISTORIC)
    const ended = versions.filter(({ active_until }: { active_until: string | null }) => active_until !== null)
    expect(ended).toMatchObject([{ option: { title: 'Red' } }])
    expect(await list()).toMatchObject([{ option: { title: 'Blue' } }])
  })

  test('200 in pages with limit and offset', async () => {
    const { list, write } = await seeded('number', { number: 1 })
    for (const value of [2, 3, 4]) await write('PATCH', value)
    expect(ownMembers(await list(`${HISTORIC}&limit=2&offset=1`))).toEqual([{ value: 2 }, { value: 3 }])
    expect(await list(`${HISTORIC}&offset=4`)).toEqual([])
  })

  test.each([
    ['people', 'first_interaction'],
    ['people', 'strongest_connection_strength'],
    ['people', 'strongest_connection_user'],
    ['people', 'twitter_follower_count'],
    ['companies', 'description'],
    ['companies', 'next_calendar_interaction'],
    ['companies', 'employee_range'],
  ])('400 for show_historic of %s.%s, which has no history', async (object, slug) => {
    const { request, person, company } = service()
    const path = `/v2/objects/${object}/records/${object === 'people' ? person : company}/attributes/${slug}/values`
    expectRefusal(await request('GET', path + HISTORIC), 400, 'validation_type', ['show_historic'])
    expect((await request('GET', path)).body.data).toEqual([])
  })

  test('404 for an unknown object, record and attribute; 400 for an invalid id', async () => {
    const { request } = service()
    const nowhere = '01890a5d-ac96-774b-bcce-b302099a8057'
    const { record } = await seeded('text', {})
    const not = async (path: string, code: string, status: number, says: string) =>
      expectRefusal(await request('GET', path), status, code, [says])
    await not(`${record}/attributes/nothing/values`, 'not_found', 404, 'Attribute with slug/ID "nothing" not found')
    await not(`/v2/objects/nothing/records/${nowhere}/attributes/text/values`, 'not_found', 404, '"nothing"')
    await not(`/v2/objects/everything/records/${nowhere}/attributes/text/values`, 'not_found', 404, nowhere)
    await not('/v2/objects/everything/records/x/attributes/text/values', 'validation_type', 400, 'x')
  })

  test('deleting a record deletes its history', async () => {
    const { record, list } = await seeded('text', { text: 'one' })
    expect(await list(HISTORIC)).toHaveLength(1)
    await service().request('DELETE', record)
    expectRefusal(await service().request('GET', `${record}/attributes/text/values${HISTORIC}`), 404, 'not_found')
  })
})

const day = (day: number) => `2023-01-${String(day).padStart(2, '0')}T00:00:00.000000000Z`
const version = (value: unknown, from: number, until: number | null) => ({
  value,
  active_from: day(from),
  active_until: until === null ? null : day(until),
})

describe('PUT …/attributes/{attribute}/values', () => {
  test('200 replaces the history and returns it oldest first; gaps are allowed', async () => {
    const { replace, list, record } = await seeded('text', { text: 'before' })
    const { body } = await replace([
      version('now', 20, null),
      version('first', 1, 5),
      { ...version({ value: 'second' }, 5, 10) },
    ])
    const stored = [
      { value: 'first', active_from: day(1), active_until: day(5) },
      { value: 'second', active_from: day(5), active_until: day(10) },
      { value: 'now', active_from: day(20), active_until: null },
    ]
    expect(body.data).toMatchObject(stored)
    expect(await list(HISTORIC)).toEqual(body.data)
    const read = await service().request('GET', record)
    expect(read.body.data.values.text).toMatchObject([{ value: 'now', active_from: day(20) }])
  })

  test('200 without an active version leaves the attribute empty', async () => {
    const { replace, list } = await seeded('text', { text: 'before' })
    await replace([version('was', 1, 2)])
    expect(await list()).toEqual([])
    expect(await list(HISTORIC)).toHaveLength(1)
  })

  test('200 for several active versions of a multiselect', async () => {
    const { replace, list } = await seeded('selects', { selects: ['Green'] })
    const { body } = await replace([version('Red', 1, null), version('Blue', 2, null), version('Green', 1, 3)])
    expect(body.data).toHaveLength(3)
    expect(await list()).toHaveLength(2)
  })

  const BAD = [
    { name: 'no value', values: [] },
    { name: 'ends before it begins', values: [version('x', 5, 1)] },
    { name: 'ends when it begins', values: [version('x', 5, 5)] },
    { name: 'overlap', values: [version('x', 1, 5), version('y', 4, 6)] },
    { name: 'two open ones', values: [version('x', 1, null), version('y', 5, null)] },
    { name: 'an open one before another', values: [version('x', 1, null), version('y', 5, 6)] },
    { name: 'no time', values: [{ value: 'x' }] },
    { name: 'nonsense for a time', values: [{ value: 'x', active_from: 'yesterday', active_until: null }] },
    { name: 'a value of the wrong type', values: [version(5, 1, null)] },
  ]
  test.each(BAD)('400 for $name, and the history does not change', async ({ values }) => {
    const { replace, list } = await seeded('text', { text: 'before' })
    expectRefusal(await replace(values), 400, 'validation_type')
    expect(ownMembers(await list(HISTORIC))).toEqual([{ value: 'before' }])
  })

  test.each([false, 'true', null, undefined])('400 unless replace_history is true: %p', async (replace_history) => {
    const { record } = await seeded('text', { text: 'before' })
    const data = { values: [version('x', 1, null)], replace_history }
    const answer = await service().request('PUT', `${record}/attributes/text/values`, { data })
    expectRefusal(answer, 400, 'validation_type')
    expect(pathsIn(answer)).toContainEqual(['data', 'replace_history'])
  })

  test.each([
    ['people', 'company', 'validation_type'],
    ['people', 'record_id', 'immutable_value'],
    ['people', 'first_interaction', 'immutable_value'],
    ['companies', 'team', 'validation_type'],
    ['companies', 'employee_range', 'validation_type'],
  ])('400 for %s.%s', async (object, slug, code) => {
    const { request, person, company } = service()
    const path = `/v2/objects/${object}/records/${object === 'people' ? person : company}/attributes/${slug}/values`
    const data = { values: [version('x', 1, null)], replace_history: true }
    expectRefusal(await request('PUT', path, { data }), 400, code)
  })

  test('400 uniqueness_conflict for a value of another record', async () => {
    const taken = await createRecord(service().request, 'everything', { unique_text: 'taken' })
    const { replace } = await seeded('unique_text', {})
    const answer = await replace([version('taken', 1, null)])
    expectRefusal(answer, 400, 'uniqueness_conflict', [recordIdOf(taken)])
    expect((await replace([version('taken', 1, 2), version('free', 2, null)])).status).toBe(200)
  })
})
