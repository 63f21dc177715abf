import { describe, expect, test } from 'bun:test'
import { createConcurrencyLimiter } from './concurrency-limiter'

/** Waits until all pending microtasks have run. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

type Class = 'first' | 'second'

interface Options {
  readonly slots: number
  readonly second?: number
  readonly maxWaiting?: number
  readonly ofKey?: number
}

/** A limiter with a stopped clock. Work is named by its key and a number, and ends on a call of `end`. */
function startLimiter({ slots, second = slots, maxWaiting = 100, ofKey = slots }: Options) {
  let now = 0
  const limiter = createConcurrencyLimiter<Class>({
    slots: { all: slots, ofKey },
    classes: { first: { all: slots, ofKey }, second: { all: second, ofKey } },
    maxWaiting,
    refusesLate: true,
    clock: () => now,
  })
  const started: string[] = []
  const refused: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, of: Class = 'first'): void => {
    const work = () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    }
    limiter.run({ class: of, key: name.replace(/\d+$/, '') }, work).catch((error: { status: number }) => {
      expect(error).toMatchObject({ status: 503, headers: { 'Retry-After': expect.stringMatching(/ GMT$/) } })
      refused.push(name)
    })
  }
  const end = async (...names: string[]) => {
    for (const name of names) {
      ends.get(name)?.()
      await turn()
    }
  }
  const pass = (ms: number) => void (now += ms)
  return { run, end, pass, started, refused, limiter }
}

const ONE = { all: 1, ofKey: 1 }

const numbered = (key: string, count: number) => Array.from({ length: count }, (_, index) => `${key}${index + 1}`)

describe('turns', () => {
  test('go round by key, so that a key with much work delays no other one', async () => {
    const { run, end, started } = startLimiter({ slots: 1 })
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) run(name)
    await turn()
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'c2']) await end(name)
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'c2', 'a4'])
  })

  test('go to the first class, but a class of which nothing runs has one', async () => {
    const { run, end, started } = startLimiter({ slots: 2, second: 1 })
    for (const name of ['a1', 'a2', 'a3', 'a4']) run(name)
    for (const name of ['b1', 'b2']) run(name, 'second')
    await turn()
    expect(started).toEqual(['a1', 'a2'])
    await end('a1')
    expect(started.at(-1)).toBe('b1')
    await end('a2')
    expect(started.at(-1)).toBe('a3')
    await end('a3')
    expect(started.at(-1)).toBe('a4')
    await end('b1')
    expect(started.at(-1)).toBe('b2')
  })

  test('leave a part of the slots to other keys', async () => {
    const { run, end, started } = startLimiter({ slots: 4, ofKey: 3 })
    for (const name of numbered('a', 6)) run(name)
    run('b1')
    await turn()
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1'])
    await end('b1')
    expect(started).toHaveLength(4)
    await end('a1')
    expect(started.at(-1)).toBe('a4')
  })
})

describe('a full queue', () => {
  test('refuses the newest work of the key that has most of it', async () => {
    const { run, started, refused, end } = startLimiter({ slots: 1, maxWaiting: 3 })
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) run(name)
    await turn()
    expect(refused).toEqual(['a5'])
    run('b1')
    await turn()
    expect(refused).toEqual(['a5', 'a4'])
    await end('a1', 'a2', 'b1')
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  test('refuses work of a lower class for work of a higher one, and not the other way round', async () => {
    const { run, refused } = startLimiter({ slots: 1, maxWaiting: 2 })
    run('a1')
    for (const name of ['b1', 'b2']) run(name, 'second')
    run('a2')
    run('a3')
    await turn()
    expect(refused).toEqual(['b2', 'b1'])
    run('c1', 'second')
    await turn()
    expect(refused).toEqual(['b2', 'b1', 'c1'])
  })
})

describe('work that waits', () => {
  test('is not refused in a burst that ends within half a second', async () => {
    const { run, end, pass, refused } = startLimiter({ slots: 1 })
    const names = numbered('a', 40)
    for (const name of names) run(name)
    await turn()
    for (const name of names) {
      pass(10)
      await end(name)
    }
    expect(refused).toEqual([])
  })

  test('is refused after 50 ms in a queue that stands', async () => {
    const { run, end, pass, started, refused } = startLimiter({ slots: 1 })
    run('a1')
    run('a2')
    await turn()
    pass(460)
    run('a3')
    pass(45)
    run('a4')
    await turn()
    expect(refused).toEqual(['a2'])
    await end('a1')
    expect(started).toEqual(['a1', 'a3'])
  })

  test('may wait longer where work takes longer', async () => {
    const { run, end, pass, refused } = startLimiter({ slots: 1 })
    // The moving average approaches 1,000 ms.
    for (const name of numbered('slow', 60)) {
      run(name)
      await turn()
      pass(1000)
      await end(name)
    }
    run('a1')
    run('a2')
    await turn()
    pass(3000)
    run('a3')
    await turn()
    expect(refused).toEqual([])
    pass(1500)
    run('a4')
    await turn()
    expect(refused).toEqual(['a2'])
  })

  test('is refused also when nothing arrives and nothing ends', async () => {
    const limiter = createConcurrencyLimiter({ slots: ONE, classes: { only: ONE }, maxWaiting: 9, refusesLate: true })
    const { promise, resolve } = Promise.withResolvers<void>()
    const running = limiter.run({ class: 'only', key: 'a' }, () => promise)
    await expect(limiter.run({ class: 'only', key: 'a' }, () => promise)).rejects.toMatchObject({ status: 503 })
    expect(limiter.state()).toEqual({ only: { running: 1, waiting: 0, refused: 1 } })
    resolve()
    await running
    expect(limiter.state()).toEqual({ only: { running: 0, waiting: 0, refused: 1 } })
  })
})

describe('a queue that stands', () => {
  /** As much work of a key may always wait. */
  const MIN_WAITING = 8

  /** A limiter with one slot, whose queue stands and is empty. */
  async function startStanding() {
    const limiter = startLimiter({ slots: 1 })
    limiter.run('x1')
    limiter.run('x2')
    await turn()
    limiter.pass(510)
    await limiter.end('x1')
    expect(limiter.refused.splice(0)).toEqual(['x2'])
    return limiter
  }

  test('refuses work at once when it would wait long, but not work of other keys', async () => {
    const { run, refused } = await startStanding()
    for (const name of numbered('a', 1 + MIN_WAITING)) run(name)
    run('a10')
    run('b1')
    await turn()
    expect(refused).toEqual(['a10'])
  })

  /** Each millisecond one work ends and some begin. Returns the last state of the limiter. */
  async function loadOf(perMs: number, ms: number) {
    const { run, end, pass, started, limiter } = startLimiter({ slots: 32 })
    const names = numbered('a', 40 + perMs * ms)
    for (const name of names.splice(0, 40)) run(name)
    await turn()
    for (let ended = 0; ended < ms; ended++) {
      pass(1)
      await end(started[ended] ?? '')
      for (const name of names.splice(0, perMs)) run(name)
      await turn()
    }
    return limiter.state().first
  }

  test('is one in which work waits longer than it runs, not one that is never empty', async () => {
    expect(await loadOf(1, 900)).toEqual({ running: 32, waiting: 8, refused: 0 })
  })

  test('uses a quarter of the slots of the class, and is kept short', async () => {
    const { running, waiting, refused } = await loadOf(2, 900)
    expect(running).toBe(8)
    // One ends each millisecond, and 20 ms is late.
    expect(waiting).toBeLessThanOrEqual(21)
    expect(refused).toBeGreaterThan(850)
  })

  test('still stands after a short break, and no more after five seconds without work that waits', async () => {
    const { run, end, pass, refused } = await startStanding()
    const burst = async (key: string) => {
      for (const name of numbered(key, 2 + MIN_WAITING)) run(name)
      await turn()
      await end(...numbered(key, 2 + MIN_WAITING))
    }
    await burst('a')
    expect(refused).toEqual(['a10'])
    pass(5000)
    await burst('b')
    expect(refused).toEqual(['a10'])
  })
})

test('a failure frees the slot', async () => {
  const { limiter } = startLimiter({ slots: 1 })
  const failed = limiter.run({ class: 'first', key: 'a' }, () => Promise.reject(new Error('It failed.')))
  const next = limiter.run({ class: 'first', key: 'a' }, async () => 1)
  expect(await Promise.allSettled([failed, next])).toMatchObject([{ status: 'rejected' }, { value: 1 }])
})
