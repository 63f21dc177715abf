import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type IndexTest, startIndexTest } from '#testing/indexes'
import { explain } from '#testing/many-things'

// A build waits for all transactions of the server, also those of other tests.

let indexes: IndexTest
/** The name of the index over the hashes of names, and that of the hash index of an earlier version. */
let name: string
let earlier: string
beforeAll(async () => {
  indexes = await startIndexTest()
})
afterAll(() => indexes.service.close())

const BY_NAME = { filter: { name: 'C4CA4238A0B923820DCC509A6F75849B' } }

beforeEach(async () => {
  await indexes.forget()
  await indexes.ask(BY_NAME)
  name = String((await indexes.rows())[0]?.name)
  earlier = name.replace(/_hashed$/, '_exact')
  const column = earlier.replace(/^[ol]_\d+_/, '').replace(/_exact$/, '')
  await indexes.service.db.sql.unsafe(`create index ${earlier} on ${indexes.table} using hash ((${column}))`)
  await indexes.service.db.sql`
    update relata.indexes set name = ${earlier}, definition = ${`using hash ((${column}))`}, state = 'ready', requests = 3
    where name = ${name}`
  await indexes.reloadModel()
})

const rows = async () => (await indexes.rows()).map((row) => [row.name, row.state, row.is_pinned])
const built = async () =>
  (await indexes.service.db.sql`select relname from pg_class where relname in (${name}, ${earlier})`).map(
    ({ relname }) => relname,
  )

describe('a hash index of an earlier version', () => {
  test('is used until its replacement is ready, and is dropped then', async () => {
    expect(await explain(indexes.service, await indexes.reloadModel(), BY_NAME)).toContain(earlier)
    const definition = await definitionOfRequest()
    expect(await indexes.worker.buildNext()).toBe(name)
    expect(await rows()).toEqual([
      [earlier, 'ready', false],
      [name, 'ready', false],
    ])
    expect((await indexes.rows())[1]?.definition).toBe(definition)
    expect(await explain(indexes.service, await indexes.reloadModel(), BY_NAME)).toContain(name)
    expect(await indexes.ask(BY_NAME)).toHaveLength(1)
    expect(await indexes.worker.buildNext()).toBeUndefined()
    expect(await rows()).toEqual([[name, 'ready', false]])
    expect(await built()).toEqual([name])
  })

  test('stays pinned', async () => {
    await indexes.service.db.sql`update relata.indexes set is_pinned = true, requests = 0 where name = ${earlier}`
    expect(await indexes.buildAll()).toEqual([name])
    expect(await rows()).toEqual([[name, 'ready', true]])
  })

  test('stays refused', async () => {
    await indexes.service.db.sql`update relata.indexes set state = 'refused' where name = ${earlier}`
    expect(await indexes.buildAll()).toEqual([])
    expect(await rows()).toEqual([[name, 'refused', false]])
    expect(await built()).toEqual([])
  })

  test('is dropped when it was not ready', async () => {
    await indexes.service.db.sql`update relata.indexes set state = 'building' where name = ${earlier}`
    expect(await indexes.buildAll()).toEqual([name])
    expect(await rows()).toEqual([[name, 'ready', false]])
    expect(await built()).toEqual([name])
  })
})

/** The definition that queries request. */
async function definitionOfRequest(): Promise<unknown> {
  await indexes.ask(BY_NAME)
  const requested = (await indexes.rows()).find((row) => row.name === name)
  await indexes.service.db.sql`delete from relata.indexes where name = ${name}`
  return requested?.definition
}
