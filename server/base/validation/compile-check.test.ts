import { describe, expect, test } from 'bun:test'
import { Type, type TSchema } from 'typebox'
import { compileCheck } from './compile-check'

const Colour = Type.Union([Type.Literal('red'), Type.Literal('blue')])
const Shape = Type.Union([
  Type.Object({ kind: Type.Literal('circle'), radius: Type.Number() }),
  Type.Object({ kind: Type.Literal('square'), side: Type.Number(), label: Type.String() }),
])

const type = (path: (string | number)[], expected: string, received: string) => ({
  code: 'invalid_type',
  path,
  expected,
  received,
  message: received === 'undefined' ? 'Required' : `Expected ${expected}, received ${received}`,
})

const cases: [name: string, schema: TSchema, value: unknown, issues: object[]][] = [
  ['a member of another kind', Type.Object({ a: Type.String() }), { a: 5 }, [type(['a'], 'string', 'number')]],
  ['a null that is not allowed', Type.Object({ a: Type.String() }), { a: null }, [type(['a'], 'string', 'null')]],
  ['an array for an object', Type.Object({ a: Type.Object({}) }), { a: [] }, [type(['a'], 'object', 'array')]],
  ['undefined', Type.Object({ a: Type.String() }), undefined, [type([], 'object', 'undefined')]],
  [
    'every absent member',
    Type.Object({ data: Type.Object({ a: Type.String(), b: Type.Integer(), c: Type.Optional(Type.String()) }) }),
    { data: {} },
    [type(['data', 'a'], 'string', 'undefined'), type(['data', 'b'], 'integer', 'undefined')],
  ],
  ['a fraction for an integer', Type.Object({ n: Type.Integer() }), { n: 1.5 }, [type(['n'], 'integer', 'float')]],
  [
    'positions as numbers',
    Type.Array(Type.Boolean()),
    [true, 'x', false, 0],
    [type([1], 'boolean', 'string'), type([3], 'boolean', 'number')],
  ],
  [
    'the kind that is not null',
    Type.Object({ a: Type.Union([Type.String(), Type.Null()]), b: Type.Unsafe({ type: ['number', 'null'] }) }),
    { a: 1, b: 'x' },
    [type(['a'], 'string', 'number'), type(['b'], 'number', 'string')],
  ],
  ['all kinds of a union', Type.Union([Type.String(), Type.Number()]), true, [type([], 'string | number', 'boolean')]],
  [
    'a choice in a very long text',
    Type.Object({ c: Colour }),
    { c: 'g'.repeat(1000) },
    [
      {
        code: 'invalid_option',
        path: ['c'],
        options: ['red', 'blue'],
        message: `Invalid enum value. Expected 'red' | 'blue', received '${'g'.repeat(200)}…'`,
      },
    ],
  ],
  [
    'a choice',
    Type.Object({ c: Colour }),
    { c: 'green' },
    [
      {
        code: 'invalid_option',
        path: ['c'],
        options: ['red', 'blue'],
        message: "Invalid enum value. Expected 'red' | 'blue', received 'green'",
      },
    ],
  ],
  [
    'a choice that may be null',
    Type.Union([Colour, Type.Null()]),
    'green',
    [
      {
        code: 'invalid_option',
        path: [],
        options: ['red', 'blue'],
        message: "Invalid enum value. Expected 'red' | 'blue', received 'green'",
      },
    ],
  ],
  [
    'a choice from an enum',
    Type.Enum(['a', 'b']),
    'c',
    [
      {
        code: 'invalid_option',
        path: [],
        options: ['a', 'b'],
        message: "Invalid enum value. Expected 'a' | 'b', received 'c'",
      },
    ],
  ],
  ['a choice of another kind', Colour, 7, [type([], "'red' | 'blue'", 'number')]],
  ['a choice not made', Type.Object({ c: Colour }), {}, [type(['c'], "'red' | 'blue'", 'undefined')]],
  [
    'only the nearest branch',
    Shape,
    { kind: 'square', side: 'x' },
    [type(['side'], 'number', 'string'), type(['label'], 'string', 'undefined')],
  ],
  [
    'formats',
    Type.Object({
      u: Type.String({ format: 'uuid' }),
      e: Type.String({ format: 'email' }),
      l: Type.String({ format: 'uri' }),
      d: Type.String({ format: 'date-time' }),
    }),
    { u: 'x', e: 'x', l: 'x', d: 'x' },
    ['uuid', 'email', 'url', 'datetime'].map((name, index) => ({
      code: 'invalid_string',
      path: ['ueld'[index]],
      string_validation: name,
      message: `Invalid ${name}`,
    })),
  ],
  [
    'a pattern',
    Type.String({ pattern: '^[a-z]+$' }),
    'A',
    [
      {
        code: 'invalid_string',
        path: [],
        string_validation: 'regex',
        message: 'Invalid: must match the pattern ^[a-z]+$',
      },
    ],
  ],
  [
    'bounds of numbers',
    Type.Object({ a: Type.Integer({ minimum: 1 }), b: Type.Number({ exclusiveMaximum: 5 }) }),
    { a: 0, b: 5 },
    [
      {
        code: 'too_small',
        path: ['a'],
        minimum: 1,
        inclusive: true,
        kind: 'number',
        message: 'Number must be greater than or equal to 1',
      },
      {
        code: 'too_big',
        path: ['b'],
        maximum: 5,
        inclusive: false,
        kind: 'number',
        message: 'Number must be less than 5',
      },
    ],
  ],
  [
    'lengths',
    Type.Object({ s: Type.String({ minLength: 1 }), l: Type.Array(Type.Unknown(), { maxItems: 1 }) }),
    { s: '', l: [1, 2] },
    [
      {
        code: 'too_small',
        path: ['s'],
        minimum: 1,
        inclusive: true,
        kind: 'string',
        message: 'String must contain at least 1 character(s)',
      },
      {
        code: 'too_big',
        path: ['l'],
        maximum: 1,
        inclusive: true,
        kind: 'array',
        message: 'Array must contain at most 1 element(s)',
      },
    ],
  ],
  [
    'members of a record',
    Type.Record(Type.String(), Type.Number()),
    { a: 1, b: 'x' },
    [type(['b'], 'number', 'string')],
  ],
  [
    'members that must not be',
    Type.Object({}, { additionalProperties: false }),
    { a: 1 },
    [{ code: 'invalid', path: ['a'], message: 'Unrecognized key' }],
  ],
  [
    'a misspelt member',
    Type.Object({ filter: Type.Optional(Type.Unknown()) }, { additionalProperties: false }),
    { filters: {} },
    [
      {
        code: 'invalid',
        path: ['filters'],
        message: 'Unrecognized key. Did you mean "filter"?',
        did_you_mean: 'filter',
      },
    ],
  ],
  [
    'a member that contains a known one',
    Type.Object({ filter: Type.Optional(Type.Unknown()) }, { additionalProperties: false }),
    { data: { filter: {} } },
    [
      {
        code: 'invalid',
        path: ['data'],
        message: 'Unrecognized key. Its member "filter" belongs in its place',
        did_you_mean: 'filter',
      },
    ],
  ],
  [
    'parts of an intersection',
    Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
    { a: 'x' },
    [type(['b'], 'string', 'undefined')],
  ],
  [
    'a rule of its own',
    Type.Refine(
      Type.String(),
      (text) => text.length > 2,
      () => 'Too plain',
    ),
    'ab',
    [{ code: 'invalid', path: [], message: 'Too plain' }],
  ],
  [
    'a number of an odd step',
    Type.Number({ multipleOf: 5 }),
    7,
    [{ code: 'invalid', path: [], message: 'Number must be a multiple of 5' }],
  ],
]

describe('compileCheck refuses', () => {
  test.each(cases)('%s', (_, schema, value, issues) => {
    expect<object[]>(compileCheck(schema)(value)).toEqual(issues)
  })
})

describe('compileCheck accepts', () => {
  const valid: [string, TSchema, unknown][] = [
    ['unknown members', Type.Object({ a: Type.String() }), { a: 'x', b: 1 }],
    ['an allowed null', Type.Union([Colour, Type.Null()]), null],
    ['any branch', Shape, { kind: 'circle', radius: 1 }],
    ['anything at all', Type.Unknown(), [null]],
    ['a whole number in any notation', Type.Integer(), JSON.parse('1e2')],
  ]
  test.each(valid)('%s', (_, schema, value) => {
    expect(compileCheck(schema)(value)).toEqual([])
  })
})

describe('compileCheck of a large value', () => {
  const item = Type.Object({ a: Type.String(), b: Type.Union([Type.Integer(), Type.Null()]) })

  test('returns the first hundred issues', () => {
    const wrong = Array.from({ length: 50_000 }, () => ({ a: 1 }))
    const issues = compileCheck(Type.Object({ items: Type.Array(item) }))({ items: wrong })
    expect(issues).toHaveLength(100)
    expect(issues.slice(0, 3).map(({ path }) => path)).toEqual([
      ['items', 0, 'a'],
      ['items', 0, 'b'],
      ['items', 1, 'a'],
    ])
    const members = Object.fromEntries(wrong.map((each, index) => [`k${index}`, each]))
    expect(compileCheck(Type.Record(Type.String(), item))(members)).toHaveLength(100)
    expect(compileCheck(Type.Object({}, { additionalProperties: false }))(members)).toHaveLength(100)
    const either = Type.Union([Type.Array(item), Type.Array(Type.Object({ a: Type.Boolean() }))])
    expect(compileCheck(either)(wrong)).toHaveLength(100)
  })

  test('returns the issue of an invalid last item', () => {
    const items = [...Array.from({ length: 50_000 }, () => ({ a: '', b: null })), { a: '', b: 'x' }]
    expect(compileCheck(Type.Array(item))(items)).toEqual([
      {
        code: 'invalid_type',
        path: [50_000, 'b'],
        expected: 'integer',
        received: 'string',
        message: 'Expected integer, received string',
      },
    ])
  })

  test('does not check the items of an array that is too long', () => {
    expect(compileCheck(Type.Array(item, { maxItems: 1 }))([1, 2])).toMatchObject([{ code: 'too_big', path: [] }])
    const text = Type.String({ maxLength: 3, pattern: '^[a-z]+$' })
    expect(compileCheck(text)('A'.repeat(1000))).toMatchObject([{ code: 'too_big' }])
    expect(compileCheck(text)('A')).toMatchObject([{ code: 'invalid_string' }])
  })
})
