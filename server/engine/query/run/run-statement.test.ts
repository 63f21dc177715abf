import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Database } from '#db/connect'
import type { RowMessage } from '#db/driver/row-messages'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { collectStatement, runStatement } from './run-statement'
import { collectorsOf } from './page-body'

const model = { workspace: { id: 'one' } }

let database: TestDatabase
let db: Database
let hurried: Database
beforeAll(async () => {
  database = await emptyTestDatabase()
  db = connect(database.url, { max: 2 })
  hurried = connect(database.url, { max: 2, queryTimeoutMs: 50 })
})
afterAll(async () => {
  await Promise.all([db.close(), hurried.close()])
  await database.drop()
})

test('400 for a query over its time limit, and other statements continue', async () => {
  const slow = { text: 'select pg_sleep(30)', parameters: [] }
  await expect(runStatement({ db: hurried, model }, slow)).rejects.toMatchObject({
    status: 400,
    code: 'query_timed_out',
  })
  await hurried.sql`select pg_sleep(0.1)`
})

test('parameters of every type are sent as text', async () => {
  const text = 'select $1::numeric + 1, $2::text, $3::timestamptz, $4::uuid[], $5::double precision'
  const id = '0190aaaa-0000-7000-8000-000000000001'
  const rows = await runStatement(
    { db, model },
    { text, parameters: ['1.5', `'`, '2024-01-01 00:00:00+00', `{${id}}`, '1e-320'] },
  )
  expect(rows).toEqual([['2.5', `'`, '2024-01-01 00:00:00+00', [id], 1e-320]])
})

test('an error in the handling of a row is thrown at the end, and the next statement gets its own rows', async () => {
  const one = connect(database.url, { max: 2 })
  const statement = { text: 'select n from generate_series(1, $1::int) n', parameters: ['1000'] }
  const seen: unknown[] = []
  const refuse = ({ value }: RowMessage) => {
    const n = value(0)
    seen.push(n)
    if (n === 2) throw new RangeError('Two is refused.')
    return n
  }
  await expect(collectStatement({ db: one, model }, statement, collectorsOf(refuse), false)).rejects.toThrow(
    'Two is refused.',
  )
  expect(seen).toEqual([1, 2])
  expect(await runStatement({ db: one, model }, { ...statement, parameters: ['3'] })).toEqual([[1], [2], [3]])
  await one.close()
})

test('a statement of a client that has disconnected is not sent, and other statements continue', async () => {
  const statement = { text: 'select 1', parameters: [] }
  await expect(runStatement({ db, model, signal: AbortSignal.abort() }, statement)).rejects.toMatchObject({
    status: 400,
  })
  expect(await runStatement({ db, model }, statement)).toEqual([[1]])
})

test('connections that open for a disconnected client are used by others', async () => {
  const one = connect(database.url, { max: 2 })
  const gone = new AbortController()
  const pending = runStatement({ db: one, model, signal: gone.signal }, { text: 'select pg_sleep(30)', parameters: [] })
  await new Promise(setImmediate) // by now it waits for its connection
  gone.abort()
  await expect(pending).rejects.toMatchObject({ code: 'query_timed_out' })
  expect(await runStatement({ db: one, model }, { text: 'select 1', parameters: [] })).toEqual([[1]])
  await one.close()
})

test('a short statement does not wait for long ones', async () => {
  const one = connect(database.url, { max: 6 })
  const run = (text: string, isLong = false) => runStatement({ db: one, model }, { text, parameters: [] }, isLong)
  const entity = await db.sql.reserve()
  await entity`select pg_advisory_lock(2)`
  const long = Array.from({ length: 6 }, (_, n) => run(`select ${n} from pg_advisory_xact_lock(2)`, true))
  expect(await run('select 1')).toEqual([[1]])
  await entity`select pg_advisory_unlock(2)`
  entity.release()
  expect(await Promise.all(long)).toHaveLength(6)
  await one.close()
})

const LOCKING = `select 'first' from pg_advisory_xact_lock(1)`

test('waiting queries get their own rows when one between them is cancelled', async () => {
  const one = connect(database.url, { max: 2 })
  const run = (text: string, signal?: AbortSignal) => runStatement({ db: one, model, signal }, { text, parameters: [] })
  // The connection could send a prepared statement without waiting.
  for (const text of [LOCKING, `select 'cancelled'`, `select 'last'`]) await run(text)
  const gone = new AbortController()
  const entity = await db.sql.reserve()
  await entity`select pg_advisory_lock(1)`
  const first = run(LOCKING)
  const cancelled = run(`select 'cancelled'`, gone.signal).catch((error: unknown) => error)
  const last = run(`select 'last'`)
  while ((await db.sql`select from pg_locks where locktype = 'advisory' and not granted`).length === 0);
  gone.abort()
  await entity`select pg_advisory_unlock(1)`
  entity.release()
  expect(await first).toEqual([['first']])
  expect(await last).toEqual([['last']])
  expect(await cancelled).toMatchObject({ code: 'query_timed_out' })
  await one.close()
})
