/** Deleting and merging a record with very many references: no statement reads all referring records. */

import { beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Database, Transaction } from '#db/connect'
import { findList, getAttribute, getObject } from '#engine/data-model/find'
import { useTestService } from '#testing/use-service'
import { BATCH_SIZE, batchesOf, batchesWhere } from './batches'

const COUNT = 2 * BATCH_SIZE + 1

const service = useTestService({}, (db) => ({ db: counting(db) }))
/** Returns the largest number of rows of a statement in the transactions. */
let mostRows = 0
beforeAll(async () => {
  const attribute = {
    title: 'Team',
    api_slug: 'members',
    type: 'record-reference',
    description: null,
    is_required: false,
    is_unique: false,
    is_multiselect: true,
    config: { record_reference: { allowed_objects: ['people'] } },
  }
  await ask('POST', '/v2/objects/companies/attributes', { data: attribute })
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await ask('POST', '/v2/lists', { data: { name: 'L', api_slug: 'l', parent_object: 'people', ...access } })
})

/** A database that records the number of rows of each statement in its transactions. */
function counting(db: Database): Database {
  const begin = (work: (tx: Transaction) => Promise<unknown>) =>
    db.sql.begin((tx) => {
      const unsafe: Transaction['unsafe'] = (...args) => {
        const query = tx.unsafe(...args)
        // Other texts may be parts of statements, which must not be sent.
        if (/^(?:select|with|fetch) /.test(args[0].trim()))
          query.then(
            ({ length }) => (mostRows = Math.max(mostRows, length)),
            () => {},
          )
        return query as never // the same query
      }
      return work(new Proxy(tx, { get: (all, name) => (name === 'unsafe' ? unsafe : Reflect.get(all, name)) }))
    })
  const sql = new Proxy(db.sql, { get: (all, name) => (name === 'begin' ? begin : Reflect.get(all, name)) })
  return { ...db, sql }
}

const ask = async (method: string, path: string, body?: object) => {
  const answer = await service.request(method, path, body)
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  return answer.body.data
}

const person = async (): Promise<string> =>
  (await ask('POST', '/v2/objects/people/records', { data: { values: {} } })).id.record_id

const model = () => service.appContext.models.reload(service.workspaceId)

async function column(): Promise<{ table: string; name: string; object: number }> {
  const known = await model()
  const companies = getObject(known, 'companies')
  const { number } = getAttribute(companies, 'members')
  return { table: companies.table, name: `a_${number}_target`, object: getObject(known, 'people').number }
}

/** Companies that refer to these people. */
async function refer(...people: string[]): Promise<void> {
  const { table, name, object } = await column()
  await service.db.sql.unsafe(
    `insert into ${table} (id, created_at, created_by, updated_at, updated_by, ${name}_object, ${name}_record_id)
     select gen_random_uuid(), now(), 0, now() - interval '1 minute', 0, array_fill(${object}::int, array[${people.length}]), $1::uuid[]
     from generate_series(1, ${COUNT})`,
    [`{${people.join(',')}}`],
  )
}

async function referring(id: string): Promise<number> {
  const { table, name } = await column()
  const [row] = await service.db.sql.unsafe<{ count: number }[]>(
    `select count(*)::int as count from ${table} where ${name}_record_id @> array[$1::uuid]`,
    [id],
  )
  return row?.count ?? 0
}

beforeEach(() => {
  mostRows = 0
})

test('deleting a record ends all references to it', async () => {
  const [gone, stays] = [await person(), await person()]
  await refer(gone, stays)
  await ask('DELETE', `/v2/objects/people/records/${gone}`)
  expect([await referring(gone), await referring(stays)]).toEqual([0, COUNT])
  expect(mostRows).toBeLessThanOrEqual(BATCH_SIZE + 1)
})

test('a merge replaces all references, also where one record refers to both', async () => {
  const [first, second] = [await person(), await person()]
  await refer(first)
  await refer(second, first)
  const data = { primary_record_id: first, secondary_record_id: second }
  const { new_record_id } = await ask('POST', '/v2/objects/people/records/merge', { data })
  expect([await referring(first), await referring(second), await referring(new_record_id)]).toEqual([0, 0, 2 * COUNT])
  expect(mostRows).toBeLessThanOrEqual(BATCH_SIZE + 1)
})

test('deleting a record deletes all of its entries', async () => {
  const [gone, known] = [await person(), await model()]
  const { table } = findList(known, 'l') ?? {}
  await service.db.sql.unsafe(
    `insert into ${table} (id, created_at, created_by, updated_at, updated_by, parent_object, parent_record_id)
     select gen_random_uuid(), now(), 0, now(), 0, ${getObject(known, 'people').number}, $1 from generate_series(1, ${COUNT})`,
    [gone],
  )
  await ask('DELETE', `/v2/objects/people/records/${gone}`)
  expect(await service.db.sql.unsafe(`select 1 from ${table} limit 1`)).toHaveLength(0)
  expect(mostRows).toBeLessThanOrEqual(BATCH_SIZE + 1)
})

test.each([0, 1, BATCH_SIZE, BATCH_SIZE + 1, COUNT])('%d rows are read in order, each once', async (count) => {
  const ids = Array.from({ length: count }, () => crypto.randomUUID())
  const table = `(select unnest('{${ids.join(',')}}'::uuid[]) as id) t`
  const batches = await service.db.sql.begin((tx) =>
    Array.fromAsync(batchesWhere(tx, table, 'cardinality($1::uuid[]) = 0', [])),
  )
  expect((batches as string[][]).flat()).toEqual(ids.toSorted())
  expect([...batchesOf(ids)]).toEqual(batches as string[][])
})
