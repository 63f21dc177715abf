import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUIDv7 } from 'bun'
import type { Database } from '#db/connect'
import { getObject } from '#engine/data-model/find'
import { ApiError } from '#base/errors/api-error'
import { testDatabase, type TestDatabase } from '#testing/database'
import { testService, type TestService } from '#testing/service'
import { createCostLimit, type CostLimit } from './cost-limit'

const SECOND = 1_000_000
const START = Date.UTC(2026, 0, 1) * 1000

let database: TestDatabase
let now = START
let workspaceId = ''

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const processOf = (db: Database, perWindow: number, perQuery = 0) =>
  createCostLimit(db, () => now, { perQuery, perWindow })

/** Returns the cost limits of several processes for a new workspace. */
function processes(count: number, perWindow: number): CostLimit[] {
  workspaceId = randomUUIDv7()
  now = START
  return Array.from({ length: count }, () => processOf(database.db, perWindow))
}

/** Spends each score. Returns true for those that the limit allowed. */
const spend = (costLimit: CostLimit, scores: readonly number[]): Promise<boolean[]> =>
  Promise.all(
    scores.map(async (score) => {
      try {
        await costLimit.spend(workspaceId, score, 0)
        return true
      } catch (error) {
        if (error instanceof ApiError && error.status === 429) return false
        throw error
      }
    }),
  )

const times = (count: number, score: number): number[] => Array.from({ length: count }, () => score)
const sum = (granted: readonly boolean[], score: number) => granted.filter(Boolean).length * score

describe('the cost limit of a workspace', () => {
  test('is never exceeded by a process that evicts its reservations', async () => {
    const [first, second] = [randomUUIDv7(), randomUUIDv7()]
    now = START
    const costLimit = createCostLimit(database.db, () => now, { perQuery: 0, perWindow: 100 }, 1)
    const spent = { [first]: 0, [second]: 0 }
    for (let turn = 0; turn < 60; turn++) {
      workspaceId = turn % 2 === 0 ? first : second
      spent[workspaceId] = (spent[workspaceId] ?? 0) + sum(await spend(costLimit, [5]), 5)
    }
    for (const score of Object.values(spent)) {
      expect(score).toBeGreaterThan(0)
      expect(score).toBeLessThanOrEqual(100)
    }
    now = START + 12 * SECOND
    expect(await spend(costLimit, [100])).toEqual([true])
  })

  test('is spent completely and never exceeded by one process', async () => {
    const [costLimit] = processes(1, 100) as [CostLimit]
    expect(sum(await spend(costLimit, times(60, 2)), 2)).toBe(100)
    expect(await spend(costLimit, [1])).toEqual([false])
  })

  test('is shared by several processes', async () => {
    const costLimits = processes(3, 1000)
    let total = 0
    for (let half = 0; half < 8; half++) {
      const granted = await Promise.all(costLimits.map((costLimit) => spend(costLimit, times(50, 3))))
      total += granted.reduce((all, each) => all + sum(each, 3), 0)
      now += SECOND / 2
    }
    expect(total).toBeLessThanOrEqual(1000)
    // Each process reserves at most a twentieth that it does not spend.
    expect(total).toBeGreaterThan(800)
  })

  test('is refilled as the window moves', async () => {
    const [costLimit] = processes(1, 100) as [CostLimit]
    expect(await spend(costLimit, [60])).toEqual([true])
    now += 5 * SECOND
    expect(await spend(costLimit, [40, 1])).toEqual([true, false])
    now += 5 * SECOND
    expect(await spend(costLimit, [60])).toEqual([false])
    now += 1 * SECOND
    expect(await spend(costLimit, [60, 1])).toEqual([true, false])
  })

  test('names the time of the next attempt, and sends no statement until then', async () => {
    const [costLimit] = processes(1, 100) as [CostLimit]
    await spend(costLimit, [100])
    const refusal = await Promise.resolve(costLimit.spend(workspaceId, 50, 0)).catch((error: unknown) => error)
    expect(refusal).toMatchObject({
      status: 429,
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      message: 'Rate limit exceeded, please try again later.',
      headers: { 'Retry-After': new Date(START / 1000 + 11_000).toUTCString() },
    })
    await database.db.sql`delete from relata.query_scores where workspace_id = ${workspaceId}`
    expect(await spend(costLimit, [50])).toEqual([false])
    expect(await spend(costLimit, [10])).toEqual([true])
  })

  test('of a busy process needs no statement for most queries', async () => {
    const [costLimit] = processes(1, 1_000_000) as [CostLimit]
    let statements = 0
    for (let n = 0; n < 1000; n++) {
      const spending = costLimit.spend(workspaceId, 2, 0)
      if (spending) statements += 1
      await spending
      now += SECOND / 1000
    }
    expect(statements).toBeLessThan(15)
  })

  test('is not enforced when it is 0', async () => {
    workspaceId = randomUUIDv7()
    expect(processOf(database.db, 0, 0).spend(workspaceId, 1_000_000, 1_000_000)).toBeUndefined()
  })
})

describe('POST /v2/objects/{object}/records/query', () => {
  let service: TestService
  beforeAll(async () => {
    service = await testService({}, (db, clock) => ({
      costLimit: createCostLimit(db, clock, { perQuery: 20, perWindow: 30 }),
    }))
  })
  afterAll(() => service.close())

  const query = (body: object) => service.request('POST', '/v2/objects/people/records/query', body)

  test('429 when the window is full, 200 later', async () => {
    service.setNow(START)
    const body = { filter: { job_title: { $contains: 'CEO' } } }
    expect((await query(body)).headers.get('x-relata-record-query-score')).toBe('13')
    expect((await query(body)).status).toBe(200)
    const { status, headers, body: envelope } = await query(body)
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('Thu, 01 Jan 2026 00:00:11 GMT')
    expect(envelope).toEqual({
      status_code: 429,
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      message: 'Rate limit exceeded, please try again later.',
    })
    expect((await query({})).status).toBe(200)
    service.setNow(START + 11 * SECOND)
    expect((await query(body)).status).toBe(200)
  })

  test('queries of another workspace are not counted', async () => {
    const { key } = await service.anotherWorkspace()
    service.setNow(START + 11 * SECOND)
    const { status } = await service.request('POST', '/v2/objects/people/records/query', {}, { key })
    expect(status).toBe(200)
  })

  test('429 for a query whose score alone is above the limit, which is not retryable', async () => {
    service.setNow(START + 30 * SECOND)
    const filter = { $or: Array.from({ length: 12 }, (_, n) => ({ description: String(n) })) }
    // The limit of one query does not apply to a small object.
    expect((await query({ filter: { $or: filter.$or.map(() => ({ job_title: 'x' })) } })).status).toBe(200)
    await pretendManyCompanies()
    const { status, body } = await service.request('POST', '/v2/objects/companies/records/query', { filter })
    expect(status).toBe(429)
    expect(body).toMatchObject({ code: 'rate_limit_exceeded', retryable: false })
    expect(body.message).toStartWith('Rate limit exceeded: this query has a score of 51, and a query may have 20.')
  })

  /** Sets the statistics to those of a hundred thousand companies. */
  async function pretendManyCompanies(): Promise<void> {
    const { db, appContext, workspaceId: id } = service
    const { table } = getObject(await appContext.models.get(id), 'companies')
    await db.sql`update pg_class set reltuples = 100000 where oid = ${table}::regclass`
  }
})
