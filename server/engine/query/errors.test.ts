/**
 * The errors of queries, with code, text and path.
 * See docs/reference/query.md (Errors of queries) and docs/reference/errors-and-limits.md (Sizes).
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { createThings } from './testing/things'

const service = useTestService()
beforeAll(async () => {
  await createThings(service.request)
})

const query = (body: unknown, object = 'things') => service.request('POST', `/v2/objects/${object}/records/query`, body)

/** A filter, the code of the error, a part of its text, and its path. */
type Case = [filter: object, code: string, text: string, path: string[]]

/** A filter by the names of the records to which `parent` refers, as those of an object. */
const throughParent = (object: string, constraints: unknown) => ({
  path: [
    ['things', 'parent'],
    [object, 'name'],
  ],
  constraints,
})

const nested = (depth: number, filter: object = { name: 'x' }): object =>
  depth === 0 ? filter : { $and: [nested(depth - 1, filter)] }
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)
const many = (count: number) => times(count, { name: 'x' })

describe('400 for an unknown member of a body', () => {
  const people = '/v2/objects/people/records'
  const search = { query: 'x', objects: ['people'], request_as: { type: 'workspace' } }
  test.each<[path: string, body: object, member: string, meant: string | undefined]>([
    [`${people}/query`, { filters: { name: 'x' } }, 'filters', 'filter'],
    [`${people}/query`, { data: { filter: { name: 'x' } } }, 'data', 'filter'],
    [`${people}/query`, { where: { name: 'x' } }, 'where', undefined],
    [`${people}/query`, { limit: 1, sort: [] }, 'sort', 'sorts'],
    [`${people}/query`, { sorts: [{ attribute: 'name', direction: 'asc', feld: 'x' }] }, 'sorts.0.feld', 'field'],
    [`${people}/aggregate`, { aggregate: [] }, 'aggregate', 'aggregates'],
    ['/v2/lists/pipeline/entries/query', { filters: {} }, 'filters', 'filter'],
    ['/v2/objects/records/search', { ...search, object: ['people'] }, 'object', 'objects'],
    ['/v2/sql', { sql: 'select 1', parameter: [] }, 'parameter', 'parameters'],
  ])('%s %j', async (path, body, member, meant) => {
    const answer = await service.request('POST', path, body)
    expect([answer.status, answer.body.code, answer.body.did_you_mean]).toEqual([400, 'validation_type', meant])
    expect(answer.body.message).toContain(`(${member}: Unrecognized key`)
  })
})

const UNKNOWN: Case[] = [
  [{ nope: 'x' }, 'unknown_filter_attribute_slug', 'Unknown attribute slug: nope.', ['nope']],
  [
    { $or: [{ name: 'x' }, { email: 'x' }] },
    'unknown_filter_attribute_slug',
    'Unknown attribute slug: email.',
    ['$or', '1', 'email'],
  ],
  [{ $not: { $xor: [] } }, 'unknown_filter_attribute_slug', 'Unknown attribute slug: $xor.', ['$not', '$xor']],
  [
    { parent_record: 'x' },
    'unknown_filter_attribute_slug',
    'Unknown attribute slug: parent_record.',
    ['parent_record'],
  ],
  [{ first_name: 'x' }, 'unknown_filter_attribute_slug', 'first_name', ['first_name']],
  [{ constructor: 'x' }, 'unknown_filter_attribute_slug', 'constructor', ['constructor']],
  [{ path: 'x' }, 'unknown_filter_attribute_slug', 'path', ['path']],
  [{ path: [['things', 'nope']], constraints: 'x' }, 'unknown_filter_attribute_slug', 'nope', ['path', '0', '1']],
]

const FIELDS: Case[] = [
  [
    { phone: { original_phone_number: 'x' } },
    'invalid_filter_field',
    "Invalid field 'original_phone_number' for attribute of type 'phone-number'",
    ['phone', 'original_phone_number'],
  ],
  [
    { mail: { original_email_address: 'x' } },
    'invalid_filter_field',
    "'original_email_address'",
    ['mail', 'original_email_address'],
  ],
  [
    { place: { latitude: '1' } },
    'invalid_filter_field',
    "'latitude' for attribute of type 'location'",
    ['place', 'latitude'],
  ],
  [
    { actor: { name: 'x' } },
    'invalid_filter_field',
    "Invalid field 'name' for attribute of type 'actor-reference'",
    ['actor', 'name'],
  ],
  [{ actor: { email: 'x' } }, 'invalid_filter_field', "'email'", ['actor', 'email']],
  [{ actor: { record_id: 'x' } }, 'invalid_filter_field', "'record_id'", ['actor', 'record_id']],
  [{ name: { active_from: { $gt: '2024-01-01' } } }, 'invalid_filter_field', "'active_from'", ['name', 'active_from']],
  [{ name: { toString: 'x' } }, 'invalid_filter_field', "'toString'", ['name', 'toString']],
  [{ $and: [{ price: { value: 1 } }] }, 'invalid_filter_field', "'value'", ['$and', '0', 'price', 'value']],
]

const OPERATORS: Case[] = [
  [{ name: { $regex: 'x' } }, 'invalid_filter_operator', 'Invalid operator: $regex', ['name', '$regex']],
  [{ name: { value: { $ne: 'x' } } }, 'invalid_filter_operator', 'Invalid operator: $ne', ['name', 'value', '$ne']],
  [
    { name: { value: { value: 'x' } } },
    'invalid_filter_operator',
    'Invalid operator: value',
    ['name', 'value', 'value'],
  ],
  [{ name: { $gt: 'x' } }, 'invalid_filter_operator', '$gt', ['name', '$gt']],
  [{ amount: { $in: [1] } }, 'invalid_filter_operator', '$in', ['amount', '$in']],
  [{ amount: { $contains: '1' } }, 'invalid_filter_operator', '$contains', ['amount', '$contains']],
  [{ done: { $lt: true } }, 'invalid_filter_operator', '$lt', ['done', '$lt']],
  [{ color: { $contains: 'R' } }, 'invalid_filter_operator', '$contains', ['color', '$contains']],
  [{ color: { active_from: '2024-01-01' } }, 'invalid_filter_operator', '$eq', ['color', 'active_from']],
  [
    { actor: { referenced_actor_id: { $in: ['x'] } } },
    'invalid_filter_operator',
    '$in',
    ['actor', 'referenced_actor_id', '$in'],
  ],
  [
    { parent: { target_object: { $in: ['things'] } } },
    'invalid_filter_operator',
    '$in',
    ['parent', 'target_object', '$in'],
  ],
  [
    { place: { country_code: { $contains: 'U' } } },
    'invalid_filter_operator',
    '$contains',
    ['place', 'country_code', '$contains'],
  ],
]

const OPERANDS: Case[] = [
  [{ name: 5 }, 'filter_error', 'Error in filter: Expected string, received number', ['name']],
  [{ name: null }, 'filter_error', 'received null', ['name']],
  [{ name: ['x'] }, 'filter_error', 'array', ['name']],
  [{ name: {} }, 'filter_error', 'operator', ['name']],
  [{ name: { value: {} } }, 'filter_error', 'operator', ['name', 'value']],
  [{ name: { $contains: 5 } }, 'filter_error', 'Expected string', ['name', '$contains']],
  [{ name: { $in: 'x' } }, 'filter_error', 'array', ['name', '$in']],
  [{ name: { $in: ['x', 5] } }, 'filter_error', 'Expected string', ['name', '$in', '1']],
  [{ name: { $not_empty: false } }, 'filter_error', '$not_empty', ['name', '$not_empty']],
  [{ place: { $not_empty: 1 } }, 'filter_error', '$not_empty', ['place', '$not_empty']],
  [{ amount: '5' }, 'filter_error', 'Expected number', ['amount']],
  [{ price: 'much' }, 'filter_error', 'number', ['price']],
  [{ price: { $gt: true } }, 'filter_error', 'Expected number', ['price', '$gt']],
  [{ done: 1 }, 'filter_error', 'Expected boolean', ['done']],
  [{ day: '2024-02-30' }, 'filter_error', 'Invalid date; expected a form such as 2026-01-31, 2026-01 or 2026', ['day']],
  [
    { moment: { $lt: 'soon' } },
    'filter_error',
    'Invalid timestamp; expected ISO 8601 such as 2026-01-31T14:30:00Z, or a date',
    ['moment', '$lt'],
  ],
  [{ moment: 5 }, 'filter_error', 'Expected string', ['moment']],
  [{ place: 'Paris' }, 'filter_error', 'locality', ['place']],
  [{ place: { $eq: 'Paris' } }, 'filter_error', 'locality', ['place', '$eq']],
  [{ actor: 'someone' }, 'filter_error', 'referenced_actor_type', ['actor']],
  [{ actor: { referenced_actor_type: 'system' } }, 'filter_error', 'together', ['actor']],
  [{ actor: { referenced_actor_id: null } }, 'filter_error', 'together', ['actor']],
  [
    { actor: { referenced_actor_type: 'system', referenced_actor_id: 5 } },
    'filter_error',
    'Expected string',
    ['actor', 'referenced_actor_id'],
  ],
  [
    { actor: { referenced_actor_type: 5, referenced_actor_id: null } },
    'filter_error',
    'Expected',
    ['actor', 'referenced_actor_type'],
  ],
  [{ parent: 'no id' }, 'filter_error', 'record ID', ['parent']],
  [{ parent: { target_object: 'nope' } }, 'filter_error', 'nope', ['parent', 'target_object']],
  [
    { color: { active_from: { $gt: 'soon' } } },
    'filter_error',
    'Invalid timestamp; expected ISO 8601 such as 2026-01-31T14:30:00Z, or a date',
    ['color', 'active_from', '$gt'],
  ],
]

const SHAPES: Case[] = [
  [{ $and: {} }, 'filter_error', 'array', ['$and']],
  [{ $or: [5] }, 'filter_error', 'object', ['$or', '0']],
  [{ $not: [] }, 'filter_error', 'object', ['$not']],
  [{ path: [['things', 'name']] }, 'filter_error', 'constraints', []],
  [{ path: [], constraints: 'x' }, 'filter_error', '1 to 5', ['path']],
  [{ path: times(6, ['things', 'parent']), constraints: 'x' }, 'filter_error', '1 to 5', ['path']],
  [{ path: ['things'], constraints: 'x' }, 'filter_error', '[object, activity or list, attribute]', ['path', '0']],
  [{ path: [['things']], constraints: 'x' }, 'filter_error', '[object, activity or list, attribute]', ['path', '0']],
  [{ path: [['things', 5]], constraints: 'x' }, 'filter_error', '[object, activity or list, attribute]', ['path', '0']],
  [{ path: [['people', 'name']], constraints: 'x' }, 'filter_error', 'begins at', ['path', '0', '0']],
  [
    {
      path: [
        ['things', 'name'],
        ['things', 'name'],
      ],
      constraints: 'x',
    },
    'filter_error',
    'refers to no records',
    ['path', '1'],
  ],
  [throughParent('people', 'x'), 'filter_error', 'does not refer', ['path', '1', '0']],
  [throughParent('nope', 'x'), 'filter_error', 'does not refer', ['path', '1', '0']],
  [throughParent('things', { $and: [] }), 'invalid_filter_operator', '$and', ['constraints', '$and']],
  [
    nested(11),
    'filter_error',
    'deep',
    Array.from({ length: 11 }, () => ['$and', '0'])
      .flat()
      .slice(0, -1),
  ],
  [{ $or: many(251) }, 'filter_error', '250', ['$or', '250', 'name']],
  [{ $or: times(1001, {}) }, 'filter_error', '1000', ['$or']],
  [{ $or: times(40, { $and: times(25, {}) }) }, 'filter_error', '1000', ['$or', '38', '$and', '10']],
  [{ name: { $in: times(501, 'x') } }, 'filter_error', '500', ['name', '$in']],
]

describe('POST /v2/objects/{object}/records/query', () => {
  for (const [title, cases] of Object.entries({ UNKNOWN, FIELDS, OPERATORS, OPERANDS, SHAPES })) {
    test.each(cases)(`400 for ${title.toLowerCase()}: %j`, async (filter, code, text, path) => {
      const { status, body } = await query({ filter })
      expect([status, body.type, body.code, body.path]).toEqual([400, 'invalid_request_error', code, path])
      expect(body.message).toContain(text)
    })
  }

  test('200 at every limit', async () => {
    const filters = [nested(10), { $or: many(250) }, { name: { $in: times(500, 'x') } }]
    const path = { path: times(5, ['things', 'parent']), constraints: { $not_empty: true } }
    for (const filter of [...filters, path]) expect((await query({ filter })).status).toBe(200)
  })

  test('400 value_not_found for an unknown option, listing the options', async () => {
    const { status, body } = await query({ filter: { color: 'Pink' } })
    expect([status, body.code, body.valid_options]).toEqual([400, 'value_not_found', ['Red', 'Green', 'Blue']])
    expect((await query({ filter: { state: { status: 'Never' } } })).body.code).toBe('value_not_found')
  })

  test('400 naming the closest attribute', async () => {
    expect((await query({ filter: { amuont: 1 } })).body.did_you_mean).toBe('amount')
  })

  test('400 for an archived attribute, as for an unknown one', async () => {
    await service.request('PATCH', '/v2/objects/things/attributes/stars', { data: { is_archived: true } })
    expect((await query({ filter: { stars: 1 } })).body.code).toBe('unknown_filter_attribute_slug')
    expect((await query({ sorts: [{ direction: 'asc', attribute: 'stars' }] })).body.code).toBe('value_not_found')
  })
})
