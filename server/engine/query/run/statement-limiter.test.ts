import { describe, expect, test } from 'bun:test'
import { createStatementLimiter } from './run-statement'

/** Waits until all pending microtasks have run. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const short = (text: string) => ({ text, isLong: false, workspaceId: 'one' })

/** Runs work that ends on a call of `end`. `started` has the order in which work started. */
function startLimiter(slots: number) {
  const limiter = createStatementLimiter(slots)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, isLong: boolean, workspaceId = 'one') =>
    limiter.run({ text: name, isLong, workspaceId }, () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await turn()
  }
  return { run, end, started }
}

describe('the statement limiter', () => {
  test('keeps two connections for short statements', async () => {
    const { run, end, started } = startLimiter(5)
    const all = ['l1', 'l2', 'l3', 'l4'].map((name) => run(name, true))
    all.push(run('s1', false), run('s2', false, 'other'), run('s3', false))
    await turn()
    expect(started).toEqual(['l1', 'l2', 'l3', 's1', 's2'])
    await end('s1')
    expect(started.at(-1)).toBe('s3')
    await end('l1')
    expect(started.at(-1)).toBe('l4')
    for (const name of started) await end(name)
    await Promise.all(all)
  })

  test('keeps a connection for other workspaces', async () => {
    const { run, end, started } = startLimiter(3)
    const all = ['s1', 's2', 's3'].map((name) => run(name, false))
    await turn()
    expect(started).toEqual(['s1', 's2'])
    all.push(run('s4', false, 'other'))
    await turn()
    expect(started).toEqual(['s1', 's2', 's4'])
    await end('s4')
    expect(started).toHaveLength(3)
    await end('s1')
    expect(started.at(-1)).toBe('s3')
    for (const name of started) await end(name)
    await Promise.all(all)
  })

  test('runs a long statement before short ones when no long one runs', async () => {
    const { run, end, started } = startLimiter(3)
    const all = [run('s1', false), run('s2', false), run('s3', false), run('l1', true), run('l2', true)]
    await turn()
    await end('s1')
    await end('s2')
    expect(started).toEqual(['s1', 's2', 'l1', 's3'])
    await end('s3')
    expect(started.at(-1)).toBe('s3')
    await end('l1')
    expect(started.at(-1)).toBe('l2')
    await end('l2')
    await Promise.all(all)
  })

  test.each([1, 2, 3])('does not limit statements with %d connections', async (slots) => {
    const limiter = createStatementLimiter(slots)
    const results = Array.from({ length: 20 }, (_, n) =>
      limiter.run({ text: `${n}`, isLong: n % 2 === 0, workspaceId: 'one' }, async () => n),
    )
    expect(await Promise.all(results)).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })

  test('throws 503 when too many statements wait, and accepts more after one has ended', async () => {
    const limiter = createStatementLimiter(1, 2)
    const ends: (() => void)[] = []
    const run = () => limiter.run(short('x'), () => new Promise<void>((resolve) => ends.push(resolve)))
    const accepted = [run(), run(), run()]
    await expect(run()).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': expect.any(String) } })
    ends[0]?.()
    await accepted[0]
    await turn()
    accepted.push(run())
    for (let index = 1; index < accepted.length; index++) {
      await turn()
      ends[index]?.()
      await accepted[index]
    }
  })

  test('tells the work how often its text has run before', async () => {
    const limiter = createStatementLimiter(1)
    const runsOf = (text: string) => limiter.run(short(text), async (runs) => runs)
    expect([await runsOf('x'), await runsOf('x'), await runsOf('y'), await runsOf('x')]).toEqual([0, 1, 0, 2])
  })

  test('runs further statements after a failure', async () => {
    const limiter = createStatementLimiter(1)
    const failed = limiter.run(short('x'), () => Promise.reject(new Error('It failed.')))
    expect(await Promise.allSettled([failed, limiter.run(short('y'), async () => 1)])).toMatchObject([
      { status: 'rejected' },
      { value: 1 },
    ])
  })
})
