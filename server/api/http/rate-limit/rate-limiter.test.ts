import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Database } from '#db/connect'
import { testDatabase, type TestDatabase } from '#testing/database'
import { createRateLimiter, type RateLimiter, type RateLimitResult } from './rate-limiter'

let database: TestDatabase
let db: Database
let micros = 1_000_000_000_000
let callers = 0
beforeAll(async () => {
  database = await testDatabase()
  ;({ db } = database)
})
afterAll(() => database.drop())

const pass = (ms: number) => (micros += ms * 1000)
const anyone = () => `caller ${++callers}`

function limited(write: number, over = db, mostPurses?: number): RateLimiter {
  const limits = createRateLimiter(over, () => micros, { read: 0, write, merge: 0, recording: 0, sql: 0 }, mostPurses)
  if (!limits) throw new Error('Something is limited.')
  return limits
}

/** Counts requests and returns how many of them may run. */
async function admitted(limits: readonly RateLimiter[], caller: string, count: number): Promise<number> {
  const asked = Array.from({ length: count }, (_, n) => limits[n % limits.length]?.count(caller, 'write'))
  const allowances = await Promise.all(asked)
  return allowances.filter((allowance) => allowance?.retryAt === undefined).length
}

/** A database that counts its statements. */
function counted(): { db: Database; statements: () => number } {
  let statements = 0
  const sql = Object.assign((...args: [TemplateStringsArray]) => {
    statements++
    return db.sql(...args)
  }, db.sql) as Database['sql'] // the same function with a count
  return { db: { ...db, sql }, statements: () => statements }
}

describe('requests of one kind', () => {
  test('run immediately up to the limit, then as the bucket is refilled', async () => {
    const [limits, caller] = [limited(50), anyone()]
    expect(await admitted([limits], caller, 200)).toBe(50)
    expect(await admitted([limits], caller, 20)).toBe(0)
    pass(100)
    expect(await admitted([limits], caller, 20)).toBe(5)
    pass(2000)
    expect(await admitted([limits], caller, 200)).toBe(50)
  })

  test('wait until the bucket has refilled after a request that counts as more than it holds', async () => {
    const [limits, caller] = [limited(25), anyone()]
    expect(await admitted([limits], caller, 1)).toBe(1)
    await limits.countFurther(caller, 'write', 39)
    // A process may still use the requests that it has taken, at most a tenth of the limit.
    expect(await admitted([limits], caller, 20)).toBe(1)
    pass(500)
    expect(await admitted([limits], caller, 20)).toBe(0)
    pass(1000)
    expect(await admitted([limits], caller, 200)).toBeGreaterThan(20)
  })

  test('have a limit for each caller', async () => {
    const limits = limited(5)
    expect(await admitted([limits], anyone(), 9)).toBe(5)
    expect(await admitted([limits], anyone(), 9)).toBe(5)
  })

  test('run at the time that a refusal names', async () => {
    const [limits, caller] = [limited(4), anyone()]
    await admitted([limits], caller, 4)
    const refused = await limits.count(caller, 'write')
    expect(refused).toEqual({ limit: 4, remaining: 0, retryAt: micros / 1000 + 250 })
    pass(249)
    expect((await limits.count(caller, 'write'))?.retryAt).toBe(micros / 1000 + 1)
    pass(1)
    expect((await limits.count(caller, 'write'))?.retryAt).toBeUndefined()
  })

  test('report how many requests are left', async () => {
    const [limits, caller] = [limited(10), anyone()]
    const left: (RateLimitResult | undefined)[] = []
    for (let n = 0; n < 4; n++) left.push(await limits.count(caller, 'write'))
    expect(left.map((allowance) => allowance?.remaining)).toEqual([9, 8, 7, 6])
    pass(1000)
    expect(await limits.count(caller, 'write')).toEqual({ limit: 10, remaining: 9 })
  })

  test('are not counted without a limit', async () => {
    expect(limited(1).count(anyone(), 'read')).toBeUndefined()
    expect(createRateLimiter(db, () => micros, { read: 0, write: 0, merge: 0, recording: 0, sql: 0 })).toBeUndefined()
  })
})

describe('several processes', () => {
  test('together admit as many requests as one process', async () => {
    const [all, caller] = [[limited(100), limited(100), limited(100)], anyone()]
    expect(await admitted(all, caller, 600)).toBe(100)
    let over = 0
    for (let round = 0; round < 20; round++) {
      pass(50)
      over += await admitted(all, caller, 30)
    }
    expect(over).toBe(100)
  })

  test('return unused tokens', async () => {
    const [first, second, caller] = [limited(100), limited(100), anyone()]
    expect(await admitted([first], caller, 1)).toBe(1)
    expect(await admitted([second], caller, 200)).toBe(90)
    expect(await admitted([first], caller, 200)).toBe(9)
    pass(5000)
    expect(await admitted([first], caller, 200)).toBe(100)
  })

  test('admit no further requests of a caller that was evicted from memory', async () => {
    const [limits, first, second] = [limited(50, db, 1), anyone(), anyone()]
    const admittedOf = { [first]: 0, [second]: 0 }
    for (let turn = 0; turn < 200; turn++) {
      const caller = turn % 2 === 0 ? first : second
      admittedOf[caller] = (admittedOf[caller] ?? 0) + (await admitted([limits], caller, 1))
    }
    for (const count of Object.values(admittedOf)) {
      expect(count).toBeGreaterThan(0)
      expect(count).toBeLessThanOrEqual(50)
    }
  })

  test('send one statement for a tenth of the limit, and none for a refusal', async () => {
    const { db: over, statements } = counted()
    const [limits, caller] = [limited(1000, over), anyone()]
    expect(await admitted([limits], caller, 1000)).toBe(1000)
    expect(statements()).toBe(10)
    expect(await admitted([limits], caller, 500)).toBe(0)
    expect(statements()).toBe(11)
  })
})
