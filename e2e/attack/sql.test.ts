/** Results of SQL whose rows are large or of many parts. */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../support/service/service-per-file'
import { startAttacked } from './attacked'
import type { HostileRequest } from './find-faults'
import { IS_LONG, seed } from './requests'

const attacked = forThisFile(startAttacked)
const TIME = 3_600_000

/** How many statements run at the same time. */
const CONNECTIONS = 4
const MEGABYTES = 7.5
/** Repeats a text of a thousandth of a megabyte to one of almost the longest row. */
const large = (text: string, count = MEGABYTES * 1000) =>
  `(select string_agg(${text}, '') from generate_series(1, ${count}))`
/** Selects the columns of `list` forty times. */
const fortyTimes = (list: string) => `select ${Array.from({ length: 40 }, () => 'x.*').join()} from (select ${list}) x`
const forty = (column: (n: number) => string) => Array.from({ length: 40 }, (_, n) => column(n)).join()

/** Each has at most 8 MB in a row, and some many such rows. */
const LARGE: Readonly<Record<string, string>> = {
  quotes: `select ${large("repeat('\"', 1000)")} as v`,
  backslashes: `select ${large("repeat('\\', 1000)")} as v`,
  'control characters': `select ${large('repeat(chr(1), 1000)', 7000)} as v`,
  'characters of four bytes': `select ${large("repeat('😀', 250)")} as v`,
  'an array of quotes': `select array[${large("repeat('\"', 500)")}] as v`,
  'an array of backslashes': `select array[${large("repeat('\\', 500)")}] as v`,
  'an array of one text': `select array[${large("repeat('x', 1000)")}] as v`,
  'short items': 'select array_agg(n % 10) as v from generate_series(1, 3500000) n',
  'empty items': "select array_agg(''::text) as v from generate_series(1, 2000000) n",
  nulls: 'select array_agg(null::int) as v from generate_series(1, 1400000) n',
  'nested arrays':
    'select array_agg(a) as v from (select array[array[n, 1], array[2, null]] as a from generate_series(1, 200000) n) x',
  structs: 'select array_agg(p.name) as v from people p, generate_series(1, 50000)',
  references: 'select array_agg(p.created_by) as v from people p, generate_series(1, 40000)',
  json: 'select jsonb_agg(n) as v from generate_series(1, 800000) n',
  'json of records': `select json_agg(row(n, 'a"b')) as v from generate_series(1, 200000) n`,
  'lines of json': `select ('[1' || ${large("repeat(E',\\n1', 300)")} || ']')::json as v`,
  'arrays of json': `select array_agg('{"a": "\\"\\\\"}'::json) as v from generate_series(1, 200000) n`,
  'rows without names': `select array_agg(row(n, 'a"b')) as v from generate_series(1, 200000) n`,
  digits: `select array_agg(x) as v from (select ${large("repeat('9', 1000)", 100)}::numeric as x from generate_series(1, 70)) y`,
  'digits of one number': `select ${large("repeat('9', 1000)", 100)}::numeric as v from generate_series(1, 150)`,
  intervals: 'select array_agg(make_interval(secs => n)) as v from generate_series(1, 500000) n',
  times: 'select array_agg(now()) as v from generate_series(1, 230000) n',
  bytes: `select ${large("repeat('x', 500)")}::bytea as v`,
  '1,600 columns': fortyTimes(forty((n) => `repeat('"', 1000) as c${n}`)),
  '1,600 columns of one name': fortyTimes(forty(() => 'null as c')),
  '1,600 long names': `${fortyTimes(forty((n) => `${n} as "${'ä'.repeat(29)}_${n}"`))}, generate_series(1, 2000)`,
  '1,600 columns of 10,000 rows': `${fortyTimes(forty((n) => `null as c${n}`))}, generate_series(1, 10000)`,
  'many rows': "select n, 'x' as x, now() as t, array[n, n] as a from generate_series(1, 200000) n",
  'many large rows': `select ${large("repeat('\"', 1000)")} as v from generate_series(1, 5)`,
}

const REFUSED: Readonly<Record<string, string>> = {
  'a long error': `select ${large("repeat('x', 1000)")}::int as v`,
  'a longer row': `select ${large("repeat('\"', 1000)", 60_000)} as v`,
}

const FORMATS = ['application/json', 'text/csv', 'application/x-ndjson'] as const
const TOOL = 'application/json, text/event-stream'
const WAYS = [...FORMATS, TOOL]

/** The statements of a format, or of the tool for assistants. A usual run sends each in one way, by the seed. */
const statementsAs = (accept: string): [name: string, sql: string][] =>
  Object.entries(LARGE).filter((_, index) => IS_LONG || WAYS[(index + seed) % WAYS.length] === accept)

const request = (about: string, sql: string, accept: string, status = 200, path = '/v2/sql'): HostileRequest => ({
  about: `${accept}, ${about}`,
  method: 'POST',
  path,
  statuses: [status],
  form: accept === 'application/json' ? 'json' : 'file',
  headers: { Authorization: `Bearer ${attacked().key}`, 'Content-Type': 'application/json', Accept: accept },
  body: JSON.stringify({ sql }),
})

/** A plan of many megabytes. */
const PLAN = `with p as not materialized (select 1 from people where name.full_name = '${'a_1x'.repeat(22_000)}')
  ${Array.from({ length: 70 }, () => 'select * from p').join(' union all ')}`

describe('no response holds the event loop', () => {
  test.each(FORMATS)(
    'as %s',
    async (accept) => {
      const requests = [
        ...statementsAs(accept).map(([name, sql]) => request(name, sql, accept)),
        ...Object.entries(REFUSED).map(([name, sql]) => request(name, sql, accept, 400)),
      ]
      // More would wait for connections longer than allowed.
      for (let from = 0; from < requests.length; from += CONNECTIONS)
        expect(await attacked().faultsOf(requests.slice(from, from + CONNECTIONS))).toEqual([])
    },
    TIME,
  )

  test.each(['application/json', 'text/plain'])(
    'with a plan as %s',
    async (accept) => {
      expect(await attacked().faultsOf([request('a plan', PLAN, accept, 200, '/v2/sql?explain=true')])).toEqual([])
    },
    TIME,
  )

  test(
    'of the tool for assistants',
    async () => {
      const requests = statementsAs(TOOL).map(([name, sql]) => ({
        ...request(name, sql, TOOL, 200, '/mcp'),
        form: 'file' as const,
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'run_sql', arguments: { sql } },
        }),
      }))
      for (let from = 0; from < requests.length; from += CONNECTIONS)
        expect(await attacked().faultsOf(requests.slice(from, from + CONNECTIONS))).toEqual([])
    },
    TIME,
  )
})
