/** Entries, by the rows of the reference. See docs/reference/lists-and-entries.md (Entries, Assert by record). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { type EntryClient, entryClient, entryIdOf } from '../../support/fixtures/entries'
import type { Answer } from '../../support/http/client'
import { forThisFile } from '../../support/service/service-per-file'
import { makeAttribute, makeList, makeObject } from '../../support/fixtures/model'
import { type Service, startService } from '../../support/service/service'
import { createRecord, expectRefusal, recordIdOf } from '../../support/fixtures/value-cases'

const service = forThisFile(startService)
let entries: EntryClient
let person: string
let request: Service['request']
beforeAll(async () => {
  request = service().request
  await makeList(request, 'deck', [
    { api_slug: 'stage', type: 'status', is_required: true, options: ['New', 'Old'] },
    { api_slug: 'level', type: 'number', default_value: { type: 'static', template: [3] } },
    { api_slug: 'tags', type: 'select', is_multiselect: true, options: ['a', 'b', 'c'] },
    { api_slug: 'code', type: 'text', is_unique: true },
    { api_slug: 'gone', type: 'text' },
  ])
  await request('PATCH', '/v2/lists/deck/attributes/gone', { data: { is_archived: true } })
  entries = entryClient(request, 'deck')
  person = await newPerson()
})

const newPerson = async () => recordIdOf(await createRecord(request, 'people', {}))
const NEW = { stage: 'New' }
const newEntry = async (values: object = {}) => entryIdOf(await entries.create(person, { ...NEW, ...values }))
const attributeId = async (slug: string): Promise<string> =>
  (await request('GET', `/v2/lists/deck/attributes/${slug}`)).body.data.id.attribute_id
// A test that names a wrong member gets undefined and fails.
// oxlint-disable-next-line typescript/no-explicit-any
const titles = ({ body }: Answer) =>
  body.data.entry_values.tags.map(({ option }: { option: { title: string } }) => option.title)

describe('creating', () => {
  test('200 with the parent record and its object named by id, in upper and lower case', async () => {
    const object = (await request('GET', '/v2/objects/people')).body.data.id.object_id
    for (const parent_object of [object, object.toUpperCase()]) {
      const { status, body } = await entries.create(person.toUpperCase(), NEW, { parent_object })
      expect([status, body.data.parent_record_id, body.data.parent_object]).toEqual([200, person, 'people'])
    }
  })

  test('200 with attributes by slug and by id, without archived ones', async () => {
    const { body } = await entries.create(person, { [await attributeId('stage')]: 'Old', level: 1 })
    expect([body.data.entry_values.stage[0].status.title, body.data.entry_values.level[0].value]).toEqual(['Old', 1])
    expect(Object.keys(body.data.entry_values)).not.toContain('gone')
  })

  test('400 for an attribute named by slug and by id', async () => {
    expectRefusal(await entries.create(person, { ...NEW, [await attributeId('stage')]: 'Old' }), 400, 'validation_type')
  })

  test('200 without the default value of an attribute that the request names, also with null', async () => {
    const levelOf = async (values: object) =>
      (await entries.create(person, { ...NEW, ...values })).body.data.entry_values.level[0]?.value
    expect([await levelOf({}), await levelOf({ level: 5 }), await levelOf({ level: null })]).toEqual([3, 5, undefined])
  })

  const refused: [string, object, object, string, string[]][] = [
    ['a parent id that is not a UUID', {}, { parent_record_id: 'x' }, 'validation_type', []],
    ['a parent object of another kind', {}, { parent_object: ['people'] }, 'validation_type', []],
    ['no parent object', {}, { parent_object: undefined }, 'validation_type', ['Required']],
    ['values that are not an object', {}, { entry_values: [] }, 'validation_type', []],
    ['a required value missing', { stage: undefined }, {}, 'missing_value', ['Required value for attribute with ID']],
    ['a required value emptied', { stage: null }, {}, 'missing_value', []],
    ['an archived attribute', { gone: 'x' }, {}, 'value_not_found', ['Cannot find attribute with slug/ID "gone"']],
    ['a status of no such title', { stage: 'new' }, {}, 'value_not_found', ['"new"']],
    ['an option of no such title', { tags: ['d'] }, {}, 'value_not_found', ['"d"']],
    ['one value for several', { tags: 'a' }, {}, 'validation_type', []],
    ['several values for one', { level: [1, 2] }, {}, 'validation_type', []],
    ['the creator', { created_by: [] }, {}, 'immutable_value', ['"created_by"']],
  ]
  test.each(refused)('400 for %s', async (_, values, more, code, says) => {
    const answers = [
      await entries.create(person, { ...NEW, ...values }, more),
      await entries.assert(await newPerson(), { ...NEW, ...values }, more),
    ]
    for (const answer of answers) expectRefusal(answer, 400, code, says)
  })

  test('400 for a parent record that was deleted or merged into another', async () => {
    const [deleted, one, other] = [await newPerson(), await newPerson(), await newPerson()]
    await request('DELETE', `/v2/objects/people/records/${deleted}`)
    const data = { primary_record_id: one, secondary_record_id: other }
    expect((await request('POST', '/v2/objects/people/records/merge', { data })).status).toBe(200)
    for (const record of [deleted, one, other]) {
      expectRefusal(await entries.create(record, NEW), 400, 'value_not_found', [record])
    }
  })
})

describe('writing', () => {
  test('200 for PATCH, which puts new values of a multiselect first, and for PUT and assert, which replace them', async () => {
    const record = await newPerson()
    const entry = entryIdOf(await entries.create(record, { ...NEW, tags: ['a'] }))
    expect(titles(await entries.write('PATCH', entry, { tags: ['b', 'a', 'c'] }))).toEqual(['b', 'c', 'a'])
    expect(titles(await entries.write('PATCH', entry, { tags: [] }))).toEqual(['b', 'c', 'a'])
    expect(titles(await entries.write('PUT', entry, { tags: ['c', 'b'] }))).toEqual(['c', 'b'])
    expect(titles(await entries.assert(record, { tags: ['a', 'b'] }))).toEqual(['a', 'b'])
    expect(titles(await entries.assert(record, {}))).toEqual(['a', 'b'])
  })

  test('200 for assert: no default values for an existing entry, and required values only if the request names them', async () => {
    const record = await newPerson()
    await entries.assert(record, { ...NEW, level: [] })
    const { status, body } = await entries.assert(record, { code: 'found' })
    expect([status, body.data.entry_values.level]).toEqual([200, []])
    expectRefusal(await entries.assert(record, { stage: [] }), 400, 'missing_value')
    expectRefusal(await entries.assert(await newPerson(), {}), 400, 'missing_value')
  })

  test.each(['PATCH', 'PUT'] as const)(
    '400 for %s without values, and for an emptied required attribute',
    async (method) => {
      const entry = await newEntry()
      for (const data of [{}, { entry_values: null }, { parent_record_id: person }]) {
        expectRefusal(await request(method, entries.path(entry), { data }), 400, 'validation_type')
      }
      expectRefusal(await entries.write(method, entry, { stage: [] }), 400, 'missing_value')
      expectRefusal(await entries.write(method, entry, { parent_record: person }), 400, 'immutable_value')
    },
  )

  test('404 for an entry of another list, which does not change', async () => {
    await makeList(request, 'elsewhere')
    const entry = await newEntry()
    const elsewhere = entryClient(request, 'elsewhere')
    const answers = [
      await elsewhere.get(entry),
      await elsewhere.write('PATCH', entry, {}),
      await elsewhere.write('PUT', entry, {}),
      await elsewhere.remove(entry),
      await request('GET', `${elsewhere.path(entry)}/attributes/created_at/values`),
    ]
    for (const answer of answers) expectRefusal(answer, 404, 'not_found')
    expect((await entries.get(entry)).status).toBe(200)
  })

  test('200 for a new entry with the unique value and the record of a deleted entry', async () => {
    const record = await newPerson()
    const first = entryIdOf(await entries.assert(record, { ...NEW, code: 'free' }))
    expectRefusal(await entries.create(person, { ...NEW, code: 'free' }), 400, 'uniqueness_conflict', [first])
    expect((await entries.remove(first)).status).toBe(200)
    const second = entryIdOf(await entries.assert(record, { ...NEW, code: 'free' }))
    expect(second).not.toBe(first)
    expect(entryIdOf(await entries.assert(record, {}))).toBe(second)
  })

  test('200 for all of many concurrent asserts of one record with one unique value, also after the entry is deleted', async () => {
    const record = await newPerson()
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, level) => entries.assert(record, { ...NEW, level, code: 'one' })),
      )
      const ids = new Set(answers.map(entryIdOf))
      expect(ids.size).toBe(1)
      for (const id of ids) await entries.remove(id)
    }
  })
})

describe('disabled objects and custom objects', () => {
  test('200 for a custom object under its new slug', async () => {
    await makeObject(request, 'ships', [{ api_slug: 'name', type: 'text' }])
    await makeList(request, 'fleet', [], 'ships')
    const ship = recordIdOf(await createRecord(request, 'ships', {}))
    const fleet = entryClient(request, 'fleet', 'ships')
    const entry = entryIdOf(await fleet.create(ship))
    await request('PATCH', '/v2/objects/ships', { data: { api_slug: 'boats' } })
    expect((await fleet.get(entry)).body.data.parent_object).toBe('boats')
    expect((await request('GET', '/v2/lists/fleet')).body.data.parent_object).toEqual(['boats'])
    expectRefusal(await fleet.create(ship), 400, 'validation_type')
    expect((await entryClient(request, 'fleet', 'boats').assert(ship)).status).toBe(200)
  })
})

describe('querying', () => {
  const refused: [string, object, string][] = [
    ['a limit above 500', { limit: 501 }, 'validation_type'],
    ['no limit', { limit: 0 }, 'validation_type'],
    ['a limit in words', { limit: '5' }, 'validation_type'],
    ['an offset below 0', { offset: -1 }, 'validation_type'],
    ['an archived attribute', { filter: { gone: 'x' } }, 'unknown_filter_attribute_slug'],
    ['an attribute of the record', { filter: { name: 'x' } }, 'unknown_filter_attribute_slug'],
    ['the id of the record', { filter: { parent_record_id: 'x' } }, 'unknown_filter_attribute_slug'],
    ['record_id', { filter: { record_id: 'x' } }, 'unknown_filter_attribute_slug'],
    ['an unknown status', { filter: { stage: 'Done' } }, 'value_not_found'],
    ['an unknown attribute to sort by', { sorts: [{ attribute: 'x', direction: 'asc' }] }, 'value_not_found'],
    ['a sort without an attribute', { sorts: [{ direction: 'asc' }] }, 'missing_sort_field'],
    ['a view id that is not a UUID', { filter_view_id: 'x' }, 'validation_type'],
  ]
  test.each(refused)('400 for %s', async (_, body, code) => {
    expectRefusal(await entries.query(body), 400, code)
  })

  test('200 without a body, and with attributes by id', async () => {
    expect((await entries.query()).status).toBe(200)
    const { status, body } = await entries.query({ filter: { [await attributeId('stage')]: 'New' }, limit: 1 })
    expect([status, body.data.length]).toEqual([200, 1])
  })

  test('404 for an unknown view', async () => {
    expectRefusal(await entries.query({ filter_view_id: crypto.randomUUID() }), 404, 'not_found')
  })

  test('200 for the entries of a record: 100 by default, at most 1000, the newest last', async () => {
    const record = await newPerson()
    const made: string[] = []
    for (let index = 0; index < 103; index++) made.push(entryIdOf(await entries.create(record, NEW)))
    const path = `/v2/objects/people/records/${record}/entries`
    const ids = async (query: string) =>
      (await request('GET', `${path}${query}`)).body.data.map(({ entry_id }: { entry_id: string }) => entry_id)
    expect(await ids('')).toEqual(made.slice(0, 100))
    expect(await ids('?limit=1000')).toEqual(made)
    expect(await ids('?offset=100')).toEqual(made.slice(100))
    expect(await ids('?offset=103')).toEqual([])
    for (const query of ['?limit=1001', '?limit=0', '?limit=x', '?offset=-1']) {
      expectRefusal(await request('GET', `${path}${query}`), 400, 'validation_type')
    }
  })
})

test('400 for relationships on lists, 404 for values of attributes of others', async () => {
  await makeAttribute(request, 'people', { api_slug: 'nickname', type: 'text' })
  const entry = await newEntry()
  expectRefusal(await request('GET', `${entries.path(entry)}/attributes/nickname/values`), 404, 'not_found')
  const relationship = { object: 'people', title: 'Back', api_slug: 'back', is_multiselect: false }
  const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
  const data = { title: 'To', api_slug: 'to', type: 'record-reference', ...plain, relationship }
  expectRefusal(await request('POST', '/v2/lists/deck/attributes', { data }), 400, 'validation_type')
})
