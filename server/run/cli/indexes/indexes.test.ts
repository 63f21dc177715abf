import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createIndexWorker, type IndexWorker } from '#engine/indexes/worker'
import { testDatabase, type TestDatabase } from '#testing/database'
import { systemClock } from '#base/timing/clock'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import { runRelata } from '#testing/command-line'

// Building an index waits for every transaction of the server, also for those of other tests.

let database: TestDatabase
let worker: IndexWorker
/** The name of the index on the job titles of people. */
let name: string

beforeAll(async () => {
  database = await testDatabase()
  const { db, url } = database
  await createWorkspace(db, { name: 'First', slug: 'first', now: systemClock()() })
  worker = createIndexWorker({ db, url, now: systemClock(), unusedDays: 30 })
  const [found] = await db.sql<[{ number: number; attribute: number }]>`
    select o.number, a.number as attribute from relata.entity_types o
    join relata.attributes a on a.workspace_id = o.workspace_id and a.entity_type_id = o.id
    where o.api_slug = 'people' and a.api_slug = 'job_title'`
  name = `o_${found.number}_a_${found.attribute}_value_hashed`
})
afterAll(() => database.drop())

async function relata(...words: string[]) {
  const { exitCode, text } = await runRelata(words, { DATABASE_URL: database.url })
  return { exitCode, output: text }
}

const exists = async () => (await database.db.sql`select from pg_class where relname = ${name}`).length === 1

describe('relata indexes', () => {
  test('`want` builds and pins an index, `list` prints it', async () => {
    expect(await relata('indexes', 'want', 'people', 'job_title')).toEqual({
      exitCode: 0,
      output: `The running service builds ${name}.`,
    })
    expect((await relata('indexes', 'list')).output).toMatch(
      new RegExp(`^${name}  people.job_title  exact +wanted`, 'm'),
    )
    expect(await worker.buildNext()).toBe(name)
    expect((await relata('indexes', 'list')).output).toMatch(/ exact +pinned +\d+ (?:bytes|kB) +0 +0 +\d\.\d s$/m)
    expect((await relata('check')).output).toBe('All tables are as they should be.')
  })

  test('check finds a missing index, and rebuilds it', async () => {
    await database.db.sql.unsafe(`drop index w_1.${name}`)
    expect(await relata('check', '--repair')).toEqual({
      exitCode: 0,
      output: [
        `first: index w_1.${name}, which queries asked for, is missing`,
        'first: 1 of these repaired.',
        'All tables are as they should be.',
      ].join('\n'),
    })
    expect(await worker.buildNext()).toBe(name)
    expect(await exists()).toBe(true)
  })

  test('rebuild drops an index and builds it again', async () => {
    expect((await relata('indexes', 'rebuild')).output).toBe('The running service rebuilds 1 indexes.')
    expect(await exists()).toBe(false)
    expect(await worker.buildNext()).toBe(name)
    expect(await exists()).toBe(true)
  })

  test('drop drops an index until it is requested again', async () => {
    expect(await relata('indexes', 'drop', name)).toEqual({ exitCode: 0, output: `${name} is dropped.` })
    expect(await exists()).toBe(false)
    await database.db
      .sql`update relata.indexes set requests = 1000, requested_by = array['job_title = …', 'job_title in …']`
    expect(await worker.buildNext()).toBeUndefined()
    expect((await relata('indexes', 'list')).output).toMatch(/ exact +refused .* job_title = …\n +job_title in …$/)
    await relata('indexes', 'want', 'people', 'job_title')
    expect(await worker.buildNext()).toBe(name)
  })

  test.each([
    [['want', 'peple', 'name'], 1, 'There is no object or list "peple".'],
    [['want', 'people', 'nane'], 1, '"people" has no attribute "nane".'],
    [['want', 'people', 'company'], 1, 'No such index would help, or the table has had it from the start.'],
    [['want', 'people', 'name', '--kind', 'fast'], 2, '--kind is one of ordered, descending, exact, elements, trigram'],
    [
      ['want', 'people', 'name', '--field', 'x'],
      2,
      '--field is one of full_name, first_name, last_name for attributes',
    ],
    [['drop', 'nonsense'], 1, 'There is no index "nonsense"; see bun relata indexes list.'],
  ] as const)('%j is refused', async (words, exitCode, problem) => {
    const given = await relata('indexes', ...words)
    expect(given.exitCode).toBe(exitCode)
    expect(given.output).toStartWith(problem)
  })
})
