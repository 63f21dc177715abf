/** The whole row of a function in FROM may be a text or a number, with which PostgreSQL would call a function. */

import { expect, test } from 'bun:test'
import { model } from '#engine/attribute-types/testing/sample-model'
import { compileSql } from '#engine/sql/compile/compile-sql'
import { SqlRefused } from '#engine/sql/compile/source-text'

function outcome(text: string): string {
  try {
    compileSql({ model, entityTypes: model.entityTypes }, text, 0)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof SqlRefused)) throw error
    return [error.message, error.position, error.hint].join(' | ')
  }
}

test.each([
  ["select u.pg_read_file from unnest(array['x']) u", 'column u.pg_read_file does not exist | 8 | '],
  ['select u.pg_sleep from unnest(array[1.0]) as u(c)', 'column u.pg_sleep does not exist | 8 | '],
  ['select pg_sleep.pg_sleep from unnest(array[1.0]) as pg_sleep(c)', 'column pg_sleep.pg_sleep does not exist | 8 | '],
  [
    'select (select u.pg_sleep from unnest(array[1.0]) u) from (select 1 as pg_sleep) u',
    'column u.pg_sleep does not exist | 16 | ',
  ],
  [
    'select (select 1 from lateral (select u.pg_sleep) z, (select 1 as pg_sleep) u) from unnest(array[1.0]) u',
    'column u.pg_sleep does not exist | 39 | ',
  ],
  [
    'select u.pg_sleep from ((select 1 as pg_sleep) u cross join people) as j, unnest(array[1.0]) u',
    'column u.pg_sleep does not exist | 8 | ',
  ],
  ["select f.pg_read_file from cast('x' as text) f", 'Only calls of functions can stand in FROM. |  | '],
  ['select text.pg_sleep from people, current_date', 'Only calls of functions can stand in FROM. |  | '],
  ['select unnest.pg_sleep from unnest(array[1.0])', 'column unnest.pg_sleep does not exist | 8 | '],
  ['select u.pg_sleep from rows from (unnest(array[1.0])) u', 'column u.pg_sleep does not exist | 8 | '],
  [
    `select pg_sleep.pg_sleep from jsonb_array_elements_text('["1"]') pg_sleep`,
    'column pg_sleep.pg_sleep does not exist | 8 | ',
  ],
  ['select people.pg_typeof from people', 'column people.pg_typeof does not exist | 8 | '],

  ['select x.record_out from (select 1) x', 'column x.record_out does not exist | 8 | '],
  [
    'with x as (select 1) select x.pg_restore_relation_stats from x',
    'column x.pg_restore_relation_stats does not exist | 29 | ',
  ],
  ['select j.record_send from (people cross join companies) as j', 'column j.record_send does not exist | 8 | '],
  ['select u.u, u.ordinality from unnest(array[1.0]) with ordinality u', 'accepted'],
  ['select u.n from unnest(array[1.0]) u(n), unnest(array[2]) v', 'accepted'],
])('%s', (text, expected) => {
  expect(outcome(text)).toBe(expected)
})
