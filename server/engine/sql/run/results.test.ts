/** What PostgreSQL's values become in JSON and CSV, by type. The statements run as they are, as the role of a workspace. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { csvText } from '#base/text/csv-line'
import { explainAsRows, queryRows, type RowFormat, streamPlan, streamRows } from './query-rows'
import { parameterText } from './statement'
import type { SqlCaller, SqlRunner } from './sql-runner'

const service = useTestService()
let runner: SqlRunner
let caller: SqlCaller

beforeAll(async () => {
  if (service.appContext.sqlRunner === undefined) throw new Error('Services of tests have a runner.')
  runner = service.appContext.sqlRunner
  caller = { model: await service.appContext.models.get(service.workspaceId) }
})

const statement = (text: string, parameters: readonly unknown[] = []) => ({
  text,
  parameters: parameters.map(parameterText),
  toCallerPosition: (position: number) => position,
})

async function rowsOf(text: string, parameters?: readonly unknown[]) {
  const { pieces, ...rest } = await queryRows(caller, runner, statement(text, parameters))
  const json = pieces.join('')
  return { json, rows: JSON.parse(`[${json}]`), ...rest }
}

const CSV: RowFormat = { head: () => '', line: ({ csv }, row) => csv(row, false) }

async function streamed(text: string, format = CSV): Promise<string> {
  const pieces = await streamRows(caller, runner, statement(text), format)
  let whole = ''
  for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next()) whole += piece.value
  return whole
}

/** An expression, its JSON, its cell in CSV, and the name of its type. */
const VALUES: readonly [sql: string, json: string, csv: string, type: string][] = [
  ['true', 'true', 'true', 'boolean'],
  ['-12::smallint', '-12', '-12', 'smallint'],
  ['9007199254740993::bigint', '9007199254740993', '9007199254740993', 'bigint'],
  ['12.50::numeric', '12.50', '12.50', 'numeric'],
  ["'NaN'::numeric", '"NaN"', 'NaN', 'numeric'],
  ["'-Infinity'::float8", '"-Infinity"', '-Infinity', 'double precision'],
  ['1e300::float8', '1e+300', '1e+300', 'double precision'],
  ['\'a "b"\'', '"a \\"b\\""', '"a ""b"""', 'text'],
  ["E'a\\nb,c'", '"a\\nb,c"', '"a\nb,c"', 'text'],
  ["'=1+1'", '"=1+1"', `"'=1+1"`, 'text'],
  ['\'@sum("a")\'', '"@sum(\\"a\\")"', `"'@sum(""a"")"`, 'text'],
  ["interval '-1 day'", '"-1 days"', `"'-1 days"`, 'interval'],
  ["'-1'::json", '-1', '-1', 'json'],
  ["''", '""', '""', 'text'],
  ['null', 'null', '', 'text'],
  ["'2026-02-28'::date", '"2026-02-28"', '2026-02-28', 'date'],
  [
    "'2026-02-28 12:00:00.5+02'::timestamptz",
    '"2026-02-28T10:00:00.500000000Z"',
    '2026-02-28T10:00:00.500000000Z',
    'timestamp with time zone',
  ],
  [
    "'2026-02-28 12:00'::timestamp",
    '"2026-02-28T12:00:00.000000000"',
    '2026-02-28T12:00:00.000000000',
    'timestamp without time zone',
  ],
  ["'infinity'::timestamptz", '"infinity"', 'infinity', 'timestamp with time zone'],
  ["'0044-03-15 BC'::timestamp", '"0044-03-15 00:00:00 BC"', '0044-03-15 00:00:00 BC', 'timestamp without time zone'],
  ["interval '1 day 2 hours'", '"1 day 02:00:00"', '1 day 02:00:00', 'interval'],
  ['\'{"a": [1,\n2]}\'::json', '{"a": [1, 2]}', '"{""a"": [1, 2]}"', 'json'],
  ['array[1, null, 2]', '[1,null,2]', '"[1,null,2]"', 'integer[]'],
  ["'{}'::text[]", '[]', '[]', 'text[]'],
  ["'[0:1]={a,b}'::text[]", '["a","b"]', '"[""a"",""b""]"', 'text[]'],
  ['array[[1,2],[3,4]]', '[[1,2],[3,4]]', '"[[1,2],[3,4]]"', 'integer[]'],
  [
    `array['a,b', 'c"d', 'e\\f', '', 'NULL', '{}']`,
    '["a,b","c\\"d","e\\\\f","","NULL","{}"]',
    csvText('["a,b","c\\"d","e\\\\f","","NULL","{}"]'),
    'text[]',
  ],
  [
    `row('Ada "A"', '', null)::relata_sql.personal_name`,
    '{"first_name":"Ada \\"A\\"","last_name":"","full_name":null}',
    csvText('{"first_name":"Ada \\"A\\"","last_name":"","full_name":null}'),
    'personal_name',
  ],
  [
    `array[row('call(1),', '2026-01-01', null)::relata_sql.interaction, null]`,
    '[{"interaction_type":"call(1),","interacted_at":"2026-01-01T00:00:00.000000000Z","owner_actor_id":null},null]',
    csvText(
      '[{"interaction_type":"call(1),","interacted_at":"2026-01-01T00:00:00.000000000Z","owner_actor_id":null},null]',
    ),
    'interaction[]',
  ],
  ["row(1, 'a', null)", '{"f1":1,"f2":"a","f3":null}', '"{""f1"":1,""f2"":""a"",""f3"":null}"', 'record'],
  ['array[row(1, true)]', '[{"f1":1,"f2":true}]', '"[{""f1"":1,""f2"":true}]"', 'record[]'],
]

describe('a value', () => {
  test.each(VALUES)('%s', async (sql, json, csv, type) => {
    const found = await rowsOf(`select ${sql} as v`)
    expect([found.json, found.columns.list]).toEqual([`{"v":${json}}`, [{ name: 'v', type }]])
    expect(await streamed(`select ${sql} as v`)).toBe(`${csv}\r\n`)
  })
})

describe('a parameter', () => {
  test.each([
    ['1', '$1::int + 1', '2'],
    [1.5, '$1::numeric * 2', '3.0'],
    [true, 'not $1::boolean', 'false'],
    ['true', '$1::boolean', 'true'],
    [null, '$1::text is null', 'true'],
    [['a,b', null], '$1::text[]', '["a,b",null]'],
    [
      [
        [1, 2],
        [3, 4],
      ],
      '$1::int[]',
      '[[1,2],[3,4]]',
    ],
    [{ a: 1 }, "$1::jsonb -> 'a'", '1'],
    ['2026-01-01', '$1::date', '"2026-01-01"'],
    ['\\x00', '$1::bytea', '"\\\\x00"'],
  ])('%p as %s', async (value, sql, json) => {
    expect((await rowsOf(`select ${sql} as v`, [value])).json).toBe(`{"v":${json}}`)
  })

  test('400 for one of a wrong form', () =>
    expect(rowsOf('select $1::int as v', ['x'])).rejects.toMatchObject({
      status: 400,
      code: 'filter_error',
      message: 'invalid input syntax for type integer: "x"',
    }))
})

const LONG = 300_000
const longText = 'ä😀"\\\n'.repeat(LONG / 3)
/** Values of which the parts are rendered one after the other. */
const LONG_VALUES: readonly (readonly [name: string, sql: string, value: unknown])[] = [
  ['a text', `repeat(E'ä😀"\\\\\\n', ${LONG / 3})`, longText],
  ['a text of characters of two units', `'x' || repeat('😀', ${LONG})`, `x${'😀'.repeat(LONG)}`],
  ['a long item', `array[repeat(E'ä😀"\\\\\\n', ${LONG / 3}), null, '']`, [longText, null, '']],
  ['a long item without quotation marks', `array['a', repeat('x', ${LONG}), 'b']`, ['a', 'x'.repeat(LONG), 'b']],
  ['many items', `array(select n from generate_series(1, ${LONG}) n)`, Array.from({ length: LONG }, (_, n) => n + 1)],
  [
    'json',
    `array_to_json(array(select n from generate_series(1, ${LONG}) n))`,
    Array.from({ length: LONG }, (_, n) => n + 1),
  ],
  [
    'members of structs',
    `array[row(repeat(E'ä😀"\\\\\\n', ${LONG / 3}), null, repeat('x', ${LONG}))::relata_sql.personal_name]`,
    [{ first_name: longText, last_name: null, full_name: 'x'.repeat(LONG) }],
  ],
]

describe('rows', () => {
  test('have unique names', async () => {
    const { json } = await rowsOf('select 1 as a, 2 as a, 3 as a_2, 4 as a')
    expect(json).toBe('{"a":1,"a_3":2,"a_2":3,"a_4":4}')
  })

  test('may have no columns, and a result no rows', async () => {
    expect((await rowsOf('select')).json).toBe('{}')
    const { rows, columns } = await rowsOf('select 1 as a where false')
    expect([rows, columns.list]).toEqual([[], [{ name: 'a', type: 'integer' }]])
    const withHead = { ...CSV, head: ({ list }: typeof columns) => `${list.map(({ name }) => name).join()}\r\n` }
    expect(await streamed('select 1 as a, row(1) as b where false', withHead)).toBe('a,b\r\n')
  })

  test('are at most 10,000 in JSON', async () => {
    const exact = await rowsOf('select n from generate_series(1, 10000) n')
    expect([exact.rows.length, exact.isTruncated]).toEqual([10_000, false])
    const more = await rowsOf('select n from generate_series(1, 1000000) n order by n')
    expect([more.rows.length, more.rows.at(-1), more.isTruncated]).toEqual([10_000, { n: 10_000 }, true])
  })

  test('are at most 50 MB in JSON', async () => {
    const { rows, isTruncated } = await rowsOf("select repeat('x', 1000000) as v from generate_series(1, 100)")
    expect([rows.length, isTruncated]).toEqual([49, true])
    expect((await rowsOf('select 1 as n')).json).toBe('{"n":1}')
  })

  test('have at most 8 MB', async () => {
    const huge = "select repeat('x', 9000000) as v"
    const refused = { status: 400, code: 'filter_error', message: 'a row has more than 8 MB' }
    await expect(rowsOf(huge)).rejects.toMatchObject(refused)
    await expect(streamed(huge)).rejects.toMatchObject(refused)
    expect((await streamed("select repeat('x', 1000000) as v from generate_series(1, 200)")).length).toBe(200_000_800)
    expect((await rowsOf('select 1 as n')).json).toBe('{"n":1}')
  })

  test.each(LONG_VALUES)('are whole when a value is long: %s', async (_name, sql, value) => {
    const { rows } = await rowsOf(`select ${sql} as v, 1 as w`)
    expect(Bun.deepEquals(rows, [{ v: value, w: 1 }])).toBe(true)
    const plain = typeof value === 'string' ? value : JSON.stringify(value)
    expect((await streamed(`select ${sql} as v, 1 as w`)) === `"${plain.replaceAll('"', '""')}",1\r\n`).toBe(true)
  })

  test('keep the order of the query, also those with records', async () => {
    const { json } = await rowsOf('select n, row(n) as r from generate_series(1, 3) n order by n desc -- last')
    expect(json).toBe('{"n":3,"r":{"f1":3}},{"n":2,"r":{"f1":2}},{"n":1,"r":{"f1":1}}')
  })
})

describe('an error', () => {
  test.each([
    ['select nothing', 'column "nothing" does not exist', 8],
    ["select 'é', nothing", 'column "nothing" does not exist', 13],
    ['select row(1), nothing', 'column "nothing" does not exist', 16],
    ['select 1 / 0', 'division by zero', null],
    ['select sqrt(-1)', 'cannot take square root of a negative number', null],
  ])('400 for %s', async (sql, message, position) => {
    const expected = { status: 400, code: 'filter_error', message }
    const extra = position === null ? {} : { extra: { position } }
    await expect(rowsOf(sql)).rejects.toMatchObject({ ...expected, ...extra })
    await expect(streamed(sql)).rejects.toMatchObject({ ...expected, ...extra })
  })
})

test('a plan as JSON and as text, also with measurements', async () => {
  const { pieces: json, columns } = await explainAsRows(caller, runner, statement('select 1'), 'format json')
  expect(columns.list).toEqual([{ name: 'QUERY PLAN', type: 'json' }])
  expect(JSON.parse(json.join(''))['QUERY PLAN'][0].Plan['Node Type']).toBe('Result')
  const pieces = await streamPlan(caller, runner, statement('select 1'), 'analyze, format text')
  expect((await pieces.next()).value).toContain('actual time')
  await pieces.return()
})
