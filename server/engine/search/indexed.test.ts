import { beforeAll, describe, expect, test } from 'bun:test'
import { getAttribute, getObject } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import { createIndexAdvisor } from '#engine/indexes/advisor'
import { createIndexWorker, type IndexWorker } from '#engine/indexes/worker'
import { useTestService } from '#testing/use-service'
import { searchFieldsOf, searchIndex, lexemesSql } from './search-fields'
import { wordSharesOf } from './word-shares'

// Building an index waits for every transaction of the server, also for those of other tests.

const RECORDS = 10_000

const service = useTestService({}, (db, now) => ({ indexes: createIndexAdvisor({ db, now, fromRows: 1_000_000 }) }))
let worker: IndexWorker
beforeAll(async () => {
  const { db, url, appContext } = service
  worker = createIndexWorker({ db, url, now: appContext.now, unusedDays: 30 })
  await seedPeople(await people())
})

const people = async () => getObject(await service.appContext.models.reload(service.workspaceId), 'people')

/** Person n is called Person<n in letters>, and every tenth one Common too; the last is the newest. */
async function seedPeople(object: ObjectType): Promise<void> {
  const column = (slug: string, member: string) => `a_${getAttribute(object, slug).number}_${member}`
  const letters = `translate(n::text, '0123456789', 'abcdefghij')`
  const name = `'Person' || ${letters} || case when n % 10 = 0 then ' Common' else '' end`
  await service.db.sql.unsafe(`
    insert into ${object.table} (id, created_at, created_by, updated_at, updated_by, ${column('name', 'full_name')},
      ${column('email_addresses', 'email_address')}, ${column('phone_numbers', 'phone_number')})
    select gen_random_uuid(), timestamptz '2024-01-01' + n * interval '1 minute', 0, now(), 0, ${name},
      array['p' || n || '@example.org'], array['+4219010' || (10000 + n)] from generate_series(1, ${RECORDS}) n`)
  await service.db.sql.unsafe(`analyze ${object.table}`)
}

async function found(query: string, limit = 25): Promise<string[]> {
  const body = { query, objects: ['people'], request_as: { type: 'workspace' }, limit }
  const answer = await service.request('POST', '/v2/objects/records/search', body)
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  return answer.body.data.map((hit: { record_text: string }) => hit.record_text)
}

async function explain(tsquery: string): Promise<string> {
  const object = await people()
  const rows = await service.db.sql.unsafe(`explain select 1 from ${object.table} h
    where ${lexemesSql(searchFieldsOf(object, 'h'))} @@ (select $query$${tsquery}$query$::tsquery) limit 100`)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

describe('an object with many records', () => {
  test('is searched by whole labels, and among its newest records by other words, until it has an index', async () => {
    expect((await found('personjade'))[0]).toBe('Personjade')
    expect((await found('personbade'))[0]).toBe('Personbade')
    expect(await found('0901 012 345')).toEqual([])
    // Typing errors are allowed only among the newest records.
    expect(await found('persnojjje')).toEqual(['Personjjje'])
    expect(await found('persnobade')).not.toContain('Personbade')
  })

  test('gets its search index when it is searched, although it is too small for indexes of queries', async () => {
    await service.appContext.indexes.flush()
    const object = await people()
    expect(await worker.buildNext()).toBe(searchIndex(object).name)
    expect(await worker.buildNext()).toBeUndefined()
    expect((await service.appContext.models.reload(service.workspaceId)).indexes).toContain(searchIndex(object).name)
    const neighbours = Array.from({ length: 500 }, (_, index) => `'person${index}':*`).join('|')
    for (const tsquery of ['personb:*', neighbours, '#421 & #901']) {
      expect(await explain(tsquery)).toContain(searchIndex(object).name)
    }
  })

  test('is searched completely with its index', async () => {
    expect((await found('personbade'))[0]).toBe('Personbade')
    expect(await found('persnobade')).toEqual(['Personbade'])
    expect(await found('p4567@example.org')).toEqual(['Personefgh'])
    expect(await found('0901 012 345')).toEqual(['Personcdef'])
    expect((await found('common personcda')).slice(0, 2)).toEqual(['Personcda Common', 'Personcdaa Common'])
  })

  test('has common words from the statistics of PostgreSQL', async () => {
    const { db, appContext, workspaceId } = service
    const model = await appContext.models.reload(workspaceId)
    await appContext.indexes.sizes.get(getObject(model, 'people').table)
    const shares = await wordSharesOf({ db, model, indexes: appContext.indexes }, getObject(model, 'people'))
    // PostgreSQL may count a write during the analysis and add it again after that.
    expect(shares.records).toBeGreaterThanOrEqual(RECORDS)
    expect(['common', 'example', 'com'].map(shares.shareOf)).toEqual([0.1, 1, 0])
    expect(shares.shareOfPrefix('com')).toBeCloseTo(0.1, 5)
    expect(shares.shareOfPrefix('exam')).toBeCloseTo(1, 5)
  })

  test('finds the exact word among many words that begin with it', async () => {
    expect((await found('personb'))[0]).toBe('Personb')
    expect(await found('p')).toHaveLength(25)
  })

  test('finds the newest of many equal hits', async () => {
    expect(await found('common', 2)).toEqual(['Personbaaaa Common', 'Personjjja Common'])
  })

  test('finds every record while others are written', async () => {
    const create = (index: number) =>
      service.request('POST', '/v2/objects/people/records', { data: { values: { name: `Zoltan${index}, X` } } })
    await Promise.all(Array.from({ length: 20 }, (_, index) => create(index)))
    expect(await found('zoltan')).toHaveLength(20)
    expect(await found('zolatn')).toHaveLength(20)
  })
})
