/** Loading, caching and changing data models. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Sql } from '#db/connect'
import { testDatabase, type TestDatabase } from '#testing/database'
import { until } from '#testing/until'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import { createModelCache } from './cache'
import { allocateNumbers, changeWorkspaceModel, blockEntityWrites } from './change-model'
import {
  findAttribute,
  findObject,
  getAttribute,
  getObject,
  entityTypeOf,
  otherSideOf,
  visibleAttributes,
} from './find'
import { loadDataModel } from './load'
import type { DataModel } from './model'

let database: TestDatabase
let model: DataModel
let made = 0

const workspace = () => createWorkspace(database.db, { name: 'W', slug: `w-${++made}`, now: 1_700_000_000_000_000 })

beforeAll(async () => {
  database = await testDatabase()
  model = await loadDataModel(database.db, (await workspace()).id)
})
afterAll(() => database.drop())

const rename = (id: string, name: string) =>
  changeWorkspaceModel(database.db, id, async ({ control }) => {
    await control.updateTable('relata.workspaces').set({ name }).where('id', '=', id).execute()
  })

describe('loadDataModel', () => {
  test('loads objects, attributes and the system actor', () => {
    expect(model.version).toBe(1)
    expect(model.schema).toBe(`"w_${model.workspace.number}"`)
    expect(model.entityTypes.map(({ api_slug }) => api_slug)).toEqual([
      'people',
      'companies',
      'deals',
      'users',
      'workspaces',
      'phone_calls',
    ])
    const deals = getObject(model, 'deals')
    expect(deals.table).toBe(`"w_${model.workspace.number}"."o_${deals.number}"`)
    expect(deals.created_at).toBe('2023-11-14T22:13:20.000000000Z')
    expect(model.entityTypesById.get(deals.id)).toBe(deals)
    expect(model.entityTypesByNumber.get(deals.number)).toBe(deals)
    expect(model.actors.get(0)).toEqual({ type: 'system', id: null })
    const stage = getAttribute(deals, 'stage')
    expect(model.attributesById.get(stage.id)).toBe(stage)
    expect(stage.options.map(({ title }) => title)).toEqual(['Lead', 'In Progress', 'Won 🎉', 'Lost'])
  })

  test('throws for a workspace that does not exist', async () => {
    expect(loadDataModel(database.db, Bun.randomUUIDv7())).rejects.toThrow('was not found')
  })

  test('derives the same updated_at and updated_by in every process, hidden unless the workspace shows them', async () => {
    const again = await loadDataModel(database.db, model.workspace.id)
    const people = getObject(again, 'people')
    const updatedAt = getAttribute(people, 'updated_at')
    expect(updatedAt).toEqual(getAttribute(getObject(model, 'people'), 'updated_at'))
    expect(updatedAt.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(updatedAt).toMatchObject({ number: -1, type: 'timestamp', stored_in: 'entity', is_writable: false })
    expect(visibleAttributes(again, people)).not.toContain(updatedAt)
    const shown = { ...again, workspace: { ...again.workspace, shows_updated_at: true } }
    expect(visibleAttributes(shown, people)).toContain(updatedAt)
  })

  test('prefers a custom attribute with the slug of a virtual one', async () => {
    const { id } = await workspace()
    const first = await loadDataModel(database.db, id)
    const name = getAttribute(getObject(first, 'workspaces'), 'name')
    await database.db
      .sql`update relata.attributes set api_slug = 'updated_at' where workspace_id = ${id} and id = ${name.id}`
    const second = await loadDataModel(database.db, id)
    expect(getAttribute(getObject(second, 'workspaces'), 'updated_at').id).toBe(name.id)
  })
})

describe('looking up', () => {
  test('objects by slug, id and alias', () => {
    const people = getObject(model, 'people')
    expect(findObject(model, people.id.toUpperCase())).toBe(people)
    expect(findObject(model, 'person')).toBe(people)
    expect(findObject(model, 'PEOPLE')).toBeUndefined()
    expect(findObject(model, 'toString')).toBeUndefined()
    expect(() => getObject(model, 'peopel')).toThrow('Object with slug/ID "peopel" not found.')
  })

  test('attributes by slug and id, their entity type and their other side', () => {
    const people = getObject(model, 'people')
    const company = getAttribute(people, 'company')
    expect(findAttribute(people, company.id)).toBe(company)
    expect(entityTypeOf(model, company)).toBe(people)
    expect(otherSideOf(model, company)).toBe(getAttribute(getObject(model, 'companies'), 'team'))
    expect(otherSideOf(model, getAttribute(people, 'name'))).toBeUndefined()
    expect(() => getAttribute(people, 'nothing')).toThrow('Attribute with slug/ID "nothing" not found.')
  })

  test.each([
    ['people', 'company', 'columns'],
    ['companies', 'team', 'partner'],
    ['people', 'associated_deals', 'columns'],
    ['deals', 'associated_people', 'partner'],
    ['deals', 'associated_company', 'columns'],
    ['companies', 'associated_deals', 'partner'],
    ['users', 'person', 'columns'],
    ['people', 'associated_users', 'partner'],
    ['users', 'workspace', 'columns'],
    ['workspaces', 'users', 'partner'],
    ['workspaces', 'company', 'columns'],
    ['companies', 'associated_workspaces', 'partner'],
    ['companies', 'associated_users', 'columns'],
    ['people', 'created_by', 'entity'],
  ])('the references of %s.%s are stored in its %s', (object, slug, place) => {
    expect(getAttribute(getObject(model, object), slug).stored_in).toBe(place as 'columns' | 'entity' | 'partner')
  })
})

describe('createModelCache', () => {
  test('loads once for concurrent calls, and then returns the cached model', async () => {
    const { id } = await workspace()
    const cache = await createModelCache(database.db)
    const models = await Promise.all([cache.get(id), cache.get(id), cache.get(id)])
    expect(new Set(models).size).toBe(1)
    expect(await cache.get(id)).toBe(models[0] as DataModel)
    const reloaded = await Promise.all([cache.reload(id), cache.reload(id), cache.get(id)])
    expect(reloaded[0]).not.toBe(models[0] as DataModel)
    await cache.close()
  })

  test('receives the changes of another process', async () => {
    const { id } = await workspace()
    const elsewhere = connect(database.url, { max: 2 })
    const [here, there] = [await createModelCache(database.db), await createModelCache(elsewhere)]
    expect((await there.get(id)).workspace.name).toBe('W')
    await rename(id, 'Renamed')
    await until(async () => (await there.get(id)).workspace.name === 'Renamed')
    expect((await there.get(id)).version).toBe(2)
    expect((await here.reload(id)).version).toBe(2)
    await here.close()
    await there.close()
    await elsewhere.close()
  })

  test.each(['kept', 'removed'])(
    'does not return a model that was loaded before a change, when its entry was %s meanwhile',
    async (entry) => {
      const { id } = await workspace()
      const [read, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let isFirst = true
      const apply = async (target: Sql, _: unknown, args: Parameters<Sql>) => {
        const isHeld = isFirst
        isFirst = false
        const rows = await target(...args)
        if (!isHeld) return rows
        read.resolve()
        await release.promise
        return rows
      }
      const sql = new Proxy(database.db.sql, { apply: apply as never }) // what a statement returns is awaited only
      const cache = await createModelCache({ ...database.db, sql })
      const early = cache.get(id)
      await read.promise
      await rename(id, 'New')
      if (entry === 'removed') cache.remove(id)
      const reloaded = cache.reload(id)
      const next = entry === 'removed' ? cache.get(id) : reloaded
      release.resolve()
      expect((await early).workspace.name).toBe('W')
      expect([await reloaded, await next, await cache.get(id)].map((each) => each.workspace.name)).toEqual([
        'New',
        'New',
        'New',
      ])
      await cache.close()
    },
  )

  test('is cleared when its listening connection was lost', async () => {
    const { id } = await workspace()
    const cache = await createModelCache(database.db)
    const before = await cache.get(id)
    await database.db.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`
    await until(async () => (await cache.get(id)) !== before)
    await rename(id, 'After')
    await until(async () => (await cache.get(id)).workspace.name === 'After')
    await cache.close()
  })

  test('keeps the models that were used last', async () => {
    const [first, second, third] = [await workspace(), await workspace(), await workspace()].map(({ id }) => id)
    const cache = await createModelCache(database.db, 2)
    const before = [await cache.get(first ?? ''), await cache.get(second ?? '')]
    expect(await cache.get(first ?? '')).toBe(before[0] as DataModel)
    await cache.get(third ?? '')
    expect(await cache.get(first ?? '')).toBe(before[0] as DataModel)
    expect(await cache.get(second ?? '')).not.toBe(before[1] as DataModel)
    await cache.close()
  })

  test('collects the garbage of each hundred loads', async () => {
    const { id } = await workspace()
    let collections = 0
    const cache = await createModelCache(database.db, 2, () => void collections++)
    for (let loads = 0; loads < 99; loads++) await cache.reload(id)
    await cache.get(id)
    expect(collections).toBe(0)
    for (let loads = 0; loads < 101; loads++) await cache.reload(id)
    expect(collections).toBe(2)
    await cache.close()
  })

  test('does not cache a failed load', async () => {
    const cache = await createModelCache(database.db)
    const id = Bun.randomUUIDv7()
    await expect(cache.get(id)).rejects.toThrow('was not found')
    await expect(cache.reload(id)).rejects.toThrow('was not found')
    await cache.close()
  })
})

describe('changeDataModel', () => {
  test('increments the version, and commits all of a change or nothing', async () => {
    const { id } = await workspace()
    await rename(id, 'Changed')
    const failing = changeWorkspaceModel(database.db, id, async ({ control, model: inside }) => {
      expect(inside.workspace.name).toBe('Changed')
      await control.updateTable('relata.workspaces').set({ name: 'Never' }).where('id', '=', id).execute()
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    const { workspace: found, version } = await loadDataModel(database.db, id)
    expect([found.name, version]).toEqual(['Changed', 2])
  })

  test('runs serially, so no number is allocated twice', async () => {
    const { id } = await workspace()
    const allocate = () => changeWorkspaceModel(database.db, id, ({ tx }) => allocateNumbers(tx, id, 3))
    const first = await Promise.all(Array.from({ length: 4 }, allocate))
    const sorted = first.toSorted((a, b) => a - b)
    expect(sorted.map((number) => number - (sorted[0] ?? 0))).toEqual([0, 3, 6, 9])
  })

  test('does not block other statements while a long query uses the table', async () => {
    const { id } = await workspace()
    const { table } = getObject(await loadDataModel(database.db, id), 'people')
    const attempts: number[] = []
    const reading = connect(database.url, { max: 1 })
    await reading.sql.unsafe('begin')
    await reading.sql.unsafe(`select 1 from ${table}`)
    const change = changeWorkspaceModel(database.db, id, async ({ tx, model: inside }) => {
      attempts.push(inside.version)
      if (attempts.length === 2) await reading.sql.unsafe('commit')
      await tx.unsafe(`alter table ${table} add column extra int`)
    })
    await change
    expect(attempts).toEqual([1, 1])
    expect((await loadDataModel(database.db, id)).version).toBe(2)
    await reading.close()
  })

  test('waits so long for a table that is vacuumed that PostgreSQL cancels an automatic vacuum', async () => {
    const { id } = await workspace()
    const people = getObject(await loadDataModel(database.db, id), 'people')
    const vacuuming = connect(database.url, { max: 1 })
    await vacuuming.sql.unsafe('begin')
    await vacuuming.sql.unsafe(`lock table ${people.table} in share update exclusive mode`)
    const timeouts = new Set<string>()
    await changeWorkspaceModel(database.db, id, async ({ tx }) => {
      const [row] = await tx<{ timeout: string }[]>`select current_setting('lock_timeout') as timeout`.execute()
      timeouts.add(row?.timeout ?? '')
      if (timeouts.size === 2) await vacuuming.sql.unsafe('commit')
      await blockEntityWrites(tx, people)
    })
    expect([...timeouts]).toEqual(['50ms', '1500ms'])
    await vacuuming.close()
  })

  test('waits for running writes before it locks the entities', async () => {
    const { id } = await workspace()
    const people = getObject(await loadDataModel(database.db, id), 'people')
    const writing = connect(database.url, { max: 1 })
    await writing.sql.unsafe('begin')
    await writing.sql.unsafe(`delete from ${people.table}`)
    let attempts = 0
    await changeWorkspaceModel(database.db, id, async ({ tx }) => {
      if (++attempts === 2) await writing.sql.unsafe('commit')
      await blockEntityWrites(tx, people)
    })
    expect(attempts).toBe(2)
    await writing.close()
  })
})
