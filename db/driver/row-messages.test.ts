/** A statement whose rows are handed over as messages. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import type { Sql } from '../connect'
import { rowOf, sendForMessages } from './row-messages'
import { faultyPool } from './testing/faulty-pool'
import { outcomeOf } from './testing/outcome'

let database: TestDatabase
beforeAll(async () => void (database = await emptyTestDatabase()))
afterAll(() => database.drop())

/** Runs a statement on a new connection. Returns its rows and how many times the driver wrote to the socket. */
async function send(text: string, parameters: readonly string[], prepare: boolean) {
  const { sql, sockets } = faultyPool(database.url)
  await sql`select 1`
  const [socket] = sockets
  if (socket === undefined) throw new Error('The pool has no connection.')
  let writes = 0
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean // one of several signatures
  socket.write = (...given: unknown[]) => (writes++, write(...given))
  const rows: unknown[][] = []
  const pool = sql as unknown as Sql // the types of its values differ
  const outcome = await outcomeOf(
    sendForMessages(pool, { text, parameters }, { prepare }, (message) => rows.push(rowOf(message))),
  )
  const result = { outcome, rows, writes }
  await sql`select 1`
  await sql.end()
  return result
}

const TYPES = `select $1::text, $2::int, $3::boolean::text, ($4::timestamptz at time zone 'UTC')::text, ($5::jsonb ->> 'a'), ($6::text[])[2]`
const VALUES = ['ä', '7', 'true', '2026-01-02T03:04:05Z', '{"a": "b"}', '{c,d}']
const ROW = ['ä', 7, 'true', '2026-01-02 03:04:05', 'b', 'd']

test('sends a statement that is not prepared in one step with its parameters', async () => {
  expect(await send(TYPES, VALUES, false)).toEqual({ outcome: 'done', rows: [ROW], writes: 1 })
})

test('reads the types of the parameters first where a statement is prepared', async () => {
  const [text, value] = ['select $1::text', 'a']
  expect(await send(text, [value], true)).toEqual({ outcome: 'done', rows: [['a']], writes: 2 })
})

test.each([
  ['select $1::int', ['x'], '22P02'],
  ['select $1::text from missing', ['x'], '42P01'],
  ['select 1 / $1::int', ['0'], '22012'],
])('goes on after %s fails', async (text, parameters, code) => {
  expect(await send(text, parameters, false)).toMatchObject({ outcome: code, rows: [] })
})
