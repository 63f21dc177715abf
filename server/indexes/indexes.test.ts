import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { getObject } from '../data-model/find'
import { testService, type TestService } from '../testing/service'
import { explain, seedThings } from '../testing/many-things'
import { runIndexWorker } from './run-worker'
import { createIndexWatch } from './watch'
import { createIndexWorker, type IndexWorker } from './worker'

// Building waits for every transaction of the server, those of other tests too.
setDefaultTimeout(60_000)

const RECORDS = 3000

let service: TestService
let worker: IndexWorker
let table: string

beforeAll(async () => {
  service = await testService({}, (db, now) => ({ indexes: createIndexWatch({ db, now, fromRows: RECORDS / 2 }) }))
  const { db, url, platform, workspaceId } = service
  worker = createIndexWorker({ db, url, now: platform.now, unusedDays: 30 })
  await seedThings(service, RECORDS)
  table = getObject(await platform.models.get(workspaceId), 'things').table
})
afterAll(() => service.close())

const reloadModel = () => service.platform.models.reload(service.workspaceId)

/** Asks as often as makes an index wanted. */
async function ask(body: object, object = 'things'): Promise<void> {
  for (let n = 0; n < 3; n++) {
    const { status } = await service.request('POST', `/v2/objects/${object}/records/query`, body)
    expect(status).toBe(200)
  }
  await service.platform.indexes.flush()
}

async function buildAll(): Promise<string[]> {
  const name = await worker.buildNext()
  return name === undefined ? [] : [name, ...(await buildAll())]
}

const rows = async (): Promise<readonly Readonly<Record<string, unknown>>[]> => [
  ...(await service.db.sql`select * from relata.indexes order by name`),
]

const forget = async () => {
  for (const { name } of await rows()) await service.db.sql.unsafe(`drop index if exists w_1."${name}"`)
  await service.db.sql`delete from relata.indexes`
  await reloadModel()
}

const asc = (attribute: string) => ({ sorts: [{ attribute, direction: 'asc' }], limit: 20 })
const desc = (attribute: string) => ({ sorts: [{ attribute, direction: 'desc' }], limit: 20 })
const member = () => ({ referenced_actor_type: 'workspace-member', referenced_actor_id: service.member.id })

/** What is asked, and how the index that serves it ends. */
const SERVED: [string, () => object, string][] = [
  ['equal text', () => ({ filter: { name: 'ABC' } }), 'value_exact'],
  ['one of several texts', () => ({ filter: { name: { $in: ['ABC', 'X'] } } }), 'value_exact'],
  ['the beginning of a text', () => ({ filter: { name: { $starts_with: 'aBc1' } } }), 'value_ordered'],
  ['a part of a text', () => ({ filter: { name: { $contains: 'aBc12' } } }), 'value_trigram'],
  ['the end of a text', () => ({ filter: { name: { $ends_with: 'aBc12' } } }), 'value_trigram'],
  ['texts in order', () => asc('name'), 'value_ordered'],
  ['texts backwards', () => desc('name'), 'value_descending'],
  ['equal numbers', () => ({ filter: { amount: 7.5 } }), 'value_ordered'],
  ['a range of numbers', () => ({ filter: { amount: { $gt: 998 } } }), 'value_ordered'],
  ['numbers in order', () => asc('amount'), 'value_ordered'],
  ['numbers backwards', () => desc('amount'), 'value_descending'],
  ['currency', () => ({ filter: { price: { $gte: 999 } } }), 'currency_value_ordered'],
  ['dates', () => ({ filter: { day: '2024-01-05' } }), 'value_ordered'],
  ['timestamps', () => ({ filter: { moment: { $lt: '2024-01-01T03:00:00Z' } } }), 'value_ordered'],
  ['timestamps in order', () => asc('moment'), 'value_ordered'],
  ['a part of an address', () => ({ filter: { mail: { email_domain: 'abc.com' } } }), 'email_domain_exact'],
  ['one of several values', () => ({ filter: { sites: 'abc.com' } }), 'domain_elements'],
  ['a part of one of several', () => ({ filter: { sites: { $contains: 'abc12' } } }), 'domain_trigram'],
  ['the first of several in order', () => asc('sites'), 'domain_ordered'],
  [
    'a part of one of several, whole',
    () => ({ filter: { mails: { email_domain: 'abc.com' } } }),
    'email_address_trigram',
  ],
  ['an option', () => ({ filter: { color: 'Red' } }), 'option_ordered'],
  ['one of several options', () => ({ filter: { colors: 'Red' } }), 'option_elements'],
  ['an actor', () => ({ filter: { actor: member() } }), 'actor_ordered'],
  ['who created it', () => ({ filter: { created_by: member() } }), 'created_by_ordered'],
  ['what changed last', () => desc('updated_at'), 'updated_at_descending'],
  ['a member of a location', () => ({ filter: { place: { locality: 'Bath' } } }), 'locality_exact'],
]

/** Nothing to make an index for. */
const UNSERVED: [string, () => object][] = [
  ['a part too short for an index', () => ({ filter: { name: { $contains: 'ab' } } })],
  ['what is not', () => ({ filter: { $not: { name: 'x' } } })],
  ['presence', () => ({ filter: { name: { $not_empty: true } } })],
  ['a unique value', () => ({ filter: { code: 'x' } })],
  ['a status', () => ({ filter: { state: 'Todo' } })],
  ['options in their order', () => asc('color')],
  ['when a status was set', () => ({ filter: { state: { active_from: { $gt: '2024-01-01' } } } })],
  ['creation', () => desc('created_at')],
  ['an id', () => ({ filter: { record_id: '0190aaaa-0000-7000-8000-000000000001' } })],
  ['a reference', () => ({ filter: { parent: '0190aaaa-0000-7000-8000-000000000001' } })],
]

describe('an index follows', () => {
  test.each(SERVED)('%s', async (_, body, ending) => {
    await forget()
    await ask(body())
    expect(await buildAll()).toEqual([expect.stringMatching(new RegExp(`_${ending}$`))])
    const [index] = await rows()
    expect(await explain(service, await reloadModel(), body())).toContain(String(index?.name))
    await ask(body())
    expect(await buildAll()).toEqual([])
  })

  test.each(UNSERVED)('nothing of %s', async (_, body) => {
    await forget()
    await ask(body())
    expect(await rows()).toEqual([])
  })

  test('newest first is read from the index that every table has', async () => {
    expect(await explain(service, await reloadModel(), desc('created_at'))).toMatch(/Backward using o_\d+_created_at/)
  })

  test('nothing while there are few records', async () => {
    await ask({ filter: { job_title: 'CEO' } }, 'people')
    expect(await rows()).toEqual([])
  })

  test('not one query alone', async () => {
    await forget()
    await service.request('POST', '/v2/objects/things/records/query', { filter: { name: 'x' } })
    await service.platform.indexes.flush()
    expect(await buildAll()).toEqual([])
    expect(await rows()).toMatchObject([{ state: 'wanted', wishes: 1, kind: 'exact' }])
  })

  test('the attributes of records that a path leads to', async () => {
    await forget()
    const path = [
      ['things', 'parent'],
      ['things', 'amount'],
    ]
    await ask({ filter: { path, constraints: 7.5 } })
    expect(await buildAll()).toEqual([expect.stringMatching(/_value_ordered$/)])
  })

  test('what others wish for under a name of their own', async () => {
    await forget()
    const model = await reloadModel()
    const things = getObject(model, 'things')
    const wish = { name: 'o_1_search', kind: 'search', definition: 'using btree (version)', attributeId: null } as const
    for (let n = 0; n < 3; n++) service.platform.indexes.want(model, things, [wish])
    await service.platform.indexes.flush()
    expect(await buildAll()).toEqual(['o_1_search'])
  })
})

describe('the worker', () => {
  const wantName = async () => {
    await forget()
    await ask({ filter: { name: 'x' } })
    const [index] = await rows()
    return String(index?.name)
  }

  test('takes up what an interrupted build left behind', async () => {
    const name = await wantName()
    // What remains of a build whose connection was lost: an index that is not valid.
    await service.db.sql`update relata.indexes set state = 'building'`
    await service.db.sql.unsafe(`create index ${name} on ${table} (version)`)
    await service.db.sql`update pg_index set indisvalid = false where indexrelid = ${`w_1.${name}`}::regclass`
    expect(await buildAll()).toEqual([name])
    expect(await rows()).toMatchObject([{ state: 'ready', error: null }])
    const [index] = await service.db.sql`
      select pg_get_indexdef(indexrelid) as definition, indisvalid from pg_index where indexrelid = ${`w_1.${name}`}::regclass`
    expect(index).toMatchObject({ indisvalid: true, definition: expect.stringContaining('USING hash') })
  })

  test('takes over what was built before it could be noted', async () => {
    const name = await wantName()
    await buildAll()
    await service.db.sql`update relata.indexes set state = 'building'`
    expect(await buildAll()).toEqual([name])
    expect(await rows()).toMatchObject([{ state: 'ready' }])
  })

  test('gives up after three failures, keeps the reason, and tells it', async () => {
    const name = await wantName()
    await service.db.sql`update relata.indexes set definition = 'using btree (nonsense)'`
    for (let n = 1; n <= 3; n++) {
      expect(await buildAll()).toEqual([name])
      expect(await rows()).toMatchObject([{ state: n < 3 ? 'wanted' : 'failed', failures: n }])
      service.setNow(service.platform.now() + n * 61_000_000)
    }
    service.setNow()
    expect(await rows()).toMatchObject([{ error: 'column "nonsense" does not exist' }])
    await ask({ filter: { name: 'x' } })
    expect(await buildAll()).toEqual([])
  })

  test('leaves the work to another one that has begun', async () => {
    await wantName()
    const other = await service.db.sql.reserve()
    await other`select pg_advisory_lock(hashtextextended('relata indexes', 0))`
    expect(await worker.buildNext()).toBeUndefined()
    await other`select pg_advisory_unlock_all()`
    other.release()
    expect(await buildAll()).toHaveLength(1)
  })

  test('gives way to a change of the same table', async () => {
    const name = await wantName()
    const { db } = service
    const other = await db.sql.reserve()
    // A transaction for which the build has to wait, holding the table's lock meanwhile.
    await other`begin`
    await other.unsafe(`insert into ${table} (id, created_at, created_by, updated_at, updated_by)
      values (gen_random_uuid(), now(), 0, now(), 0)`)
    const building = worker.buildNext()
    const isWaiting = () => db.sql`select from pg_stat_activity where application_name = 'relata indexes'
      and wait_event_type = 'Lock' and query like 'create index%' and datname = current_database()`
    while ((await isWaiting()).length === 0);
    await worker.interrupt('01a1fb94-6742-779e-819c-cc037755ba08')
    expect(await isWaiting()).toHaveLength(1)
    await worker.interrupt(service.workspaceId)
    expect(await building).toBe(name)
    await other`rollback`
    other.release()
    expect(await rows()).toMatchObject([{ state: 'wanted', failures: 0, error: expect.stringContaining('canceling') }])
    service.setNow(service.platform.now() + 20_000_000)
    expect(await buildAll()).toEqual([name])
    service.setNow()
    expect(await rows()).toMatchObject([{ state: 'ready', error: null }])
  })

  test('drops what was unused for long, and keeps what was used or pinned', async () => {
    const later = (days: number) => service.setNow(service.platform.now() + days * 24 * 3600 * 1_000_000)
    const name = await wantName()
    await buildAll()
    later(29)
    expect(await worker.dropUnused()).toEqual([])
    await service.db.sql`update relata.indexes set scans = 1000`
    expect(await worker.dropUnused()).toEqual([])
    later(29)
    expect(await worker.dropUnused()).toEqual([])
    later(29)
    await service.db.sql`update relata.indexes set is_pinned = true`
    expect(await worker.dropUnused()).toEqual([])
    await service.db.sql`update relata.indexes set is_pinned = false`
    expect(await worker.dropUnused()).toEqual([name])
    service.setNow()
    expect(await rows()).toEqual([])
    expect((await reloadModel()).indexes.has(name)).toBe(false)
  })

  test('has nothing left of an attribute that was deleted', async () => {
    await forget()
    await ask({ filter: { stars: 3 } })
    await buildAll()
    const { status } = await service.request('DELETE', '/v2/objects/things/attributes/stars')
    expect(status).toBe(200)
    expect(await rows()).toEqual([])
    expect(await service.db.sql`select from pg_class where relname like '%_value_ordered'`).toHaveLength(0)
  })
})

describe('a running worker', () => {
  test('builds what is wished for, and stops in the middle of it', async () => {
    const { db, url, platform } = service
    const until = async (state: string): Promise<void> => {
      if ((await rows()).some((row) => row.state === state)) return
      return until(state)
    }
    await forget()
    const running = await runIndexWorker({ db, url, now: platform.now, unusedDays: 30 })
    await ask({ filter: { name: 'x' } })
    await until('ready')

    await forget()
    const other = await db.sql.reserve()
    await other`begin`
    await other.unsafe(`lock table ${table} in share update exclusive mode`)
    await ask({ filter: { name: 'x' } })
    await until('building')
    await running.stop()
    await other`rollback`
    other.release()
    expect(await rows()).toMatchObject([{ state: 'wanted', failures: 0 }])
  })
})
