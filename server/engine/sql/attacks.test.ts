/**
 * Hostile SQL against each of the two walls alone, and through the API: the check of the text with a superuser behind it, the role
 * of the workspace without a check, and both. See docs/decisions/sql.md.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { useTestService } from '#testing/use-service'
import { BOMBS, doublingBombs, REFUSED_BOMBS } from '#testing/sql/attacks/bombs'
import { HARMLESS, PARAMETERS } from '#testing/sql/attacks/harmless'
import { REFUSED_NAMES } from '#testing/sql/attacks/refused-names'
import { REFUSED_READS } from '#testing/sql/attacks/refused-reads'
import { REFUSED_STATEMENTS } from '#testing/sql/attacks/refused-statements'
import { digestOf, leakIn, makeAttackedWorkspaces, OF_OTHERS } from '#testing/sql/attacks/workspaces'
import { compileSql } from './compile/compile-sql'
import { SqlRefused } from './compile/source-text'
import type { SqlScope } from './compile/tables/tables'
import { runRoleStatement } from './run/open-rows'
import { createSqlRunner, type SqlRunner } from './run/sql-runner'

const TIMEOUT_MS = 150
const REFUSED = { ...REFUSED_READS, ...REFUSED_NAMES, ...REFUSED_STATEMENTS }

/** Without the scope of private lists. */
const READING = [
  'record_permission:read',
  'object_configuration:read',
  'list_entry:read',
  'list_configuration:read',
] as const

let runner: SqlRunner
let patient: SqlRunner
// Before the service is closed.
afterAll(() => patient.close())
const service = useTestService({}, (db, _now, url) => {
  runner = createSqlRunner({ db, url, connections: 4, timeoutMs: TIMEOUT_MS })
  return { sqlRunner: runner }
})
let model: DataModel
let scope: SqlScope
let key: string
let own: string
let foreign: string

beforeAll(async () => {
  const { models } = service.appContext
  const { other, hidden } = await makeAttackedWorkspaces(service)
  key = await service.keyWith(READING)
  model = await models.reload(service.workspaceId)
  own = getObject(model, 'people').table
  foreign = getObject(await models.get(other.workspaceId), 'unseen_object').table
  scope = { model, entityTypes: model.entityTypes.filter(({ api_slug }) => !hidden.includes(api_slug)) }
  patient = createSqlRunner({ db: service.db, url: service.url, connections: 1, timeoutMs: 60_000 })
})

/** Fills in the names of tables. */
const fill = (text: string): string =>
  text
    .replaceAll('{own}', own)
    .replaceAll('{foreign}', foreign)
    .replaceAll('{schema}', foreign.split('.')[0] ?? '')

const post = (sql: string, parameters?: unknown) =>
  service.request('POST', '/v2/sql', parameters === undefined ? { sql } : { sql, parameters }, { key })

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items]
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all([next(), next(), next()])
}

/** Returns the message and the hint of the refusal; undefined for a text that compiles. */
function refusalOf(text: string): string | undefined {
  try {
    compileSql(scope, text, 0)
    return undefined
  } catch (error) {
    if (error instanceof SqlRefused) return `${error.message} ${error.hint}`
    throw error
  }
}

/** Returns what is wrong with a refusal of the check; undefined when it is right. */
function faultOfCheck(text: string): string | undefined {
  const refusal = refusalOf(text)
  if (refusal === undefined) return `compiled: ${text.slice(0, 200)}`
  const leak = leakIn(refusal, text)
  return leak === undefined ? undefined : `names ${leak}: ${text.slice(0, 200)}`
}

describe('the check alone, without PostgreSQL', () => {
  test.each(Object.entries(REFUSED))('refuses %s', (_name, texts) => {
    expect(texts.flatMap((text) => faultOfCheck(fill(text)) ?? [])).toEqual([])
  })

  test.each(Object.entries(REFUSED_BOMBS))('refuses %s', (_name, text) => {
    expect(faultOfCheck(text)).toBeUndefined()
  })

  test.each(Object.entries(doublingBombs(24)))('refuses %s', (_name, text) => {
    expect(faultOfCheck(text)).toBeUndefined()
  })

  test.each(Object.entries(doublingBombs(4)))('does not refuse four levels of %s for their size', (_name, text) => {
    expect(refusalOf(text) ?? '').not.toContain('too large')
  })

  test('a superuser behind it reads nothing but the own tables', async () => {
    const faults: string[] = []
    for (const text of Object.values(HARMLESS).flat().map(fill)) {
      const found = await runAsSuperuser(text)
      const leak = leakIn(found, text)
      if (leak !== undefined) faults.push(`${leak}: ${text}`)
    }
    expect(faults).toEqual([])
  })
})

/** Returns the rows or the error as text. */
async function runAsSuperuser(text: string): Promise<string> {
  try {
    const compiled = compileSql(scope, text, 0)
    const parameters = compiled.parameters as never[] // the compiler makes texts
    return JSON.stringify(
      await service.db.queries.unsafe(`select to_json(t) from (\n${compiled.text}\n) t`, parameters),
    )
  } catch (error) {
    return String(error)
  }
}

/** Runs a text on the connection of the role, without a check. */
async function runAsRole(text: string): Promise<string> {
  try {
    const statement = { text, parameters: [], toCallerPosition: () => null }
    return await runRoleStatement({ model }, runner, statement, async ({ sql }) =>
      JSON.stringify(await sql.unsafe(text)),
    )
  } catch (error) {
    return JSON.stringify(error) + String(error)
  }
}

/** Texts for the role name the real table of people. */
const withRealNames = (text: string): string => fill(text).replaceAll(/\b(?:objects\.)?people\b/g, own)

describe('the role alone, without a check', () => {
  test.each(Object.entries(REFUSED))('reads and writes nothing of others by %s', async (_name, texts) => {
    const before = await digestOf(service.db.sql)
    const faults: string[] = []
    await inTurns(texts.map(withRealNames), async (text) => {
      const leak = leakIn(await runAsRole(text), text, OF_OTHERS)
      if (leak !== undefined) faults.push(`${leak}: ${text}`)
    })
    expect([...faults, await digestOf(service.db.sql)]).toEqual([before])
  })
})

const partOf = (name: string): string => /^(?:a|large)(?= )/.exec(name)?.[0] ?? 'rest'

describe('POST /v2/sql', () => {
  test.each(Object.entries(REFUSED))('400 for %s', async (_name, texts) => {
    const faults: unknown[] = []
    await inTurns(texts.map(fill), async (text) => {
      const { status, body } = await post(text)
      if (status !== 400) faults.push([status, text, body])
    })
    expect(faults).toEqual([])
  })

  test.each(Object.entries(HARMLESS))('only own data for %s', async (_name, texts) => {
    const faults: unknown[] = []
    await inTurns(texts.map(fill), async (text) => {
      const { status, body } = await post(text)
      const leak = leakIn(JSON.stringify(body), text)
      if (![200, 400].includes(status) || leak !== undefined) faults.push([status, leak, text, body])
    })
    expect(faults).toEqual([])
  })

  test('only own data for hostile parameters', async () => {
    const faults: unknown[] = []
    await inTurns(PARAMETERS, async ([sql, parameters]) => {
      const filled = Array.isArray(parameters)
        ? parameters.map((each) => (typeof each === 'string' ? fill(each) : each))
        : parameters
      const { status, body } = await post(fill(sql), filled)
      const leak = leakIn(JSON.stringify(body), JSON.stringify([sql, parameters]))
      if (![200, 400, 413].includes(status) || leak !== undefined) faults.push([status, leak, sql, body])
    })
    expect(faults).toEqual([])
  })

  // Each runs until its time limit, three at a time.
  test.each(['a', 'large', 'rest'])('an end for each bomb: %s', async (part) => {
    const faults: unknown[] = []
    const bombs = Object.entries(BOMBS).filter(([name]) => partOf(name) === part)
    await inTurns(bombs, async ([name, text]) => {
      const { status, body } = await post(text)
      if (status !== 200 && body.code !== 'filter_error') faults.push([name, status, body])
    })
    expect([...faults, bombs.length > 0]).toEqual([true])
  })

  test('a get answers while statements without end run', async () => {
    const stopped = new AbortController()
    const ended: string[] = []
    const bomb = runRoleStatement(
      { model, signal: stopped.signal },
      patient,
      { text: String(BOMBS['a cross join']), parameters: [], toCallerPosition: () => null },
      ({ sql }) => sql.unsafe(String(BOMBS['a cross join'])),
    ).then(
      () => ended.push('bomb'),
      () => ended.push('bomb'),
    )
    expect((await service.request('GET', '/v2/objects/people')).status).toBe(200)
    ended.push('get')
    stopped.abort()
    await bomb
    expect(ended).toEqual(['get', 'bomb'])
  })
})
