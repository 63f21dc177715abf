/**
 * Compares random queries over the tables of SQL with the same queries over real tables, which are made by hand of the JSON of the
 * API. SQL_RUNS sets how many queries are tried, SQL_SEED which ones.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Random, randomFrom } from '../../../e2e/bench/data/random'
import { testService, type TestService } from '#testing/service'
import { toCaller, toPostgres } from '#testing/sql/differential/dialects'
import { makeHandTables } from '#testing/sql/differential/hand-tables'
import { randomQuery, type Tables } from '#testing/sql/differential/random-query'
import { makeWorld } from '#testing/sql/differential/world'
import { compileSql } from './compile/compile-sql'

const RUNS = Number(process.env.SQL_RUNS ?? 300)
const SEED = Number(process.env.SQL_SEED ?? 1)
/** Of so many queries one is also sent to the API. */
const SENT_ONE_IN = 4

let service: TestService
let tables: Tables
let connection: Connection

beforeAll(async () => {
  service = await testService()
  const world = await makeWorld(service.request, service.member.email_address)
  const [first, ...rest] = await makeHandTables(service.db.sql, world)
  if (first === undefined) throw new Error('The world has no tables.')
  tables = [first, ...rest]
  connection = await service.db.sql.reserve()
  await connection`set search_path = objects, pg_catalog`
  await connection`set statement_timeout = '20s'`
})
afterAll(async () => {
  connection.release()
  await service.close()
})

type Connection = Awaited<ReturnType<TestService['db']['sql']['reserve']>>

interface Found {
  readonly rows: readonly string[]
  readonly error?: string
}

/** Runs a statement, and has PostgreSQL make JSON of its rows. */
async function run(text: string, parameters: readonly unknown[] = []): Promise<Found> {
  const statement = `select to_json(relata_row)::text as row from (\n${text.replace(/;$/, '')}\n) relata_row`
  try {
    const rows = await connection.unsafe<{ row: string }[]>(statement, parameters as never[]) // the compiler makes texts
    return { rows: rows.map(({ row }) => canonical(JSON.parse(row))) }
  } catch (error) {
    return { rows: [], error: String(error) }
  }
}

/** The columns of a table may come in another order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )

async function runCompiled(text: string): Promise<Found> {
  const { models } = service.appContext
  const model = await models.get(service.workspaceId)
  try {
    const compiled = compileSql({ model, entityTypes: model.entityTypes }, text, 0)
    return await run(compiled.text, compiled.parameters)
  } catch (error) {
    return { rows: [], error: String(error) }
  }
}

/** The order of the queries is not compared. */
const sorted = ({ rows }: Found): readonly string[] => rows.toSorted()

/** Returns the rows of `POST /v2/sql`. */
async function send(sql: string): Promise<Found> {
  const { status, body } = await service.request('POST', '/v2/sql', { sql })
  return status === 200 ? { rows: body.data.rows.map(withShortTimes) } : { rows: [], error: body.message }
}

/** Times of the API have nine digits and `Z`, those of PostgreSQL's JSON at most six, as many as necessary, and `+00:00`. */
const withShortTimes = (row: unknown): string =>
  canonical(row).replaceAll(
    /"(\d{4}-\d\d-\d\dT[\d:]{8})(?:\.(\d{0,6})\d*)?(?:Z|\+00:00)"/g,
    (_, seconds: string, digits = '') => `"${seconds}.${digits.replace(/0+$/, '')}"`,
  )

/** A struct with null members stands for null where a query reads it with `*` and also names a member. The API shows it as null. */
const withoutAbsent = ({ rows, ...rest }: Found): Found => ({
  ...rest,
  rows: rows.map((row) => JSON.stringify(JSON.parse(row, (_key, inner) => (isAbsent(inner) ? null : inner)))),
})

const isAbsent = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((member) => member === null)

const isEqual = (one: Found, other: Found): boolean =>
  (one.error === undefined) === (other.error === undefined) &&
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))

describe('a query over the tables of a workspace', () => {
  test(`has the rows of the same query over real tables, ${RUNS} times`, async () => {
    const random: Random = randomFrom(SEED)
    const differences: unknown[] = []
    let compared = 0
    for (let n = 0; n < RUNS; n++) {
      const query = randomQuery(random, tables)
      const text = toCaller(query, random)
      const [expected, found] = [await run(toPostgres(query)), await runCompiled(text)]
      if (expected.error === undefined) compared += 1
      if (!isEqual(withoutAbsent(expected), withoutAbsent(found))) differences.push({ text, expected, found })
      if (n % SENT_ONE_IN > 0) continue
      const short = { ...expected, rows: expected.rows.map((row) => withShortTimes(JSON.parse(row))) }
      const sent = await send(text)
      if (!isEqual(short, sent)) differences.push({ text, expected: short, sent })
    }
    expect(differences.slice(0, 3)).toEqual([])
    expect(compared).toBeGreaterThan(RUNS * 0.9)
  })
})
