import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { testDatabase } from '#testing/database'
import type { Database } from '../connect'
import { measureStatements, type StatementEnd, withoutLiterals } from './measure-statements'
import { sendForRows } from './row-messages'

const scope = new AsyncLocalStorage<string>()
let db: Database
let drop: () => Promise<void>
let ended: (StatementEnd & { readonly scope: string | undefined })[] = []
beforeAll(async () => {
  ;({ db, drop } = await testDatabase())
  measureStatements(db.sql, () => {
    const begunIn = scope.getStore()
    return (end) => ended.push({ ...end, scope: begunIn })
  })
})
afterEach(() => {
  ended = []
})
afterAll(async () => {
  measureStatements(db.sql, undefined)
  await drop()
})

describe('a statement is measured once, in the context of its caller', () => {
  const cases: readonly [name: string, send: () => Promise<unknown>, text: string][] = [
    ['of a template', async () => await db.sql`select ${1}::int as one`, 'select $1::int as one'],
    ['of a text', async () => await db.sql.unsafe('select 2', []), 'select 2'],
    [
      'of Kysely',
      () => controlQueriesIn(db.sql).selectFrom('relata.migrations').select('name').limit(1).execute(),
      'select "name" from',
    ],
    ['that is sent before it is awaited', async () => await db.sql`select 3`.execute(), 'select 3'],
  ]
  test.each(cases)('%s', async (_, send, text) => {
    await scope.run('a request', send)
    expect(ended).toEqual([{ text: expect.stringContaining(text), error: undefined, scope: 'a request' }])
  })

  test('of a transaction', async () => {
    await scope.run('a request', () => db.sql.begin(async (tx) => await tx`select 4`))
    expect(ended.map((each) => [each.text, each.scope])).toContainEqual(['select 4', 'a request'])
  })

  test('that fails', async () => {
    await expect(scope.run('a request', async () => await db.sql`select * from absent`)).rejects.toThrow('absent')
    expect(ended).toEqual([{ text: 'select * from absent', error: expect.any(Error), scope: 'a request' }])
  })

  test('of a caller of the API, without its text', async () => {
    await sendForRows(db.sql, { text: "select 'of a caller'", parameters: [] }, () => {})
    expect(ended).toEqual([{ text: undefined, error: undefined, scope: undefined }])
  })
})

test('statements are sent as before without a monitor', async () => {
  const before = ended.length
  measureStatements(db.sql, undefined)
  expect([...(await db.sql`select 5 as five`)]).toEqual([{ five: 5 }])
  expect(ended).toHaveLength(before)
})

test.each([
  ["select 'it''s', E'a\\'b', $1 from w_12.a_3", 'select ?, ?, $1 from w_12.a_3'],
  ["alter role x password 'SCRAM-SHA-256$4096:secret'", 'alter role x password ?'],
  ['select 12, 1.5, a_12, "b 3", $2 limit 50', 'select ?, ?, a_12, "b 3", $2 limit ?'],
  ['select $$secret$$, $tag$also $1 secret$tag$, $1', 'select ?, ?, $1'],
  ["select 'a'\n  ,  'b'", 'select ? , ?'],
])('without literals: %s', (text, shown) => expect(withoutLiterals(text)).toBe(shown))
