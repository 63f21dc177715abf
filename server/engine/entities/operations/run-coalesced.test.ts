import { describe, expect, test } from 'bun:test'
import { ApiError } from '#base/errors/api-error'
import { VersionConflict } from '#engine/storage/preconditions'
import { createCoalescer, MAX_RUNNING, MAX_TOGETHER } from './run-coalesced'

interface Input {
  readonly id: string
  /** How the write of several inputs ends. */
  readonly failure?: unknown
}

/** A coalescer whose writes end when the test lets them. */
function setUp() {
  const log: string[] = []
  const held: (() => void)[] = []
  let now = 0
  const coalescer = createCoalescer<Input, string>(
    {
      idOf: ({ id }) => (id.startsWith('new') ? undefined : id),
      async alone({ id }) {
        log.push(id)
        if (id.startsWith('held')) await new Promise<void>((resolve) => held.push(resolve))
        return `${id} alone`
      },
      async together(inputs) {
        log.push(inputs.map(({ id }) => id).join('+'))
        const failing = inputs.find(({ failure }) => failure !== undefined && !(failure instanceof ApiError))
        if (failing) throw failing.failure
        return inputs.map(({ id, failure }) => (failure instanceof ApiError ? failure : `${id} together`))
      },
    },
    () => now,
  )
  const write = (id: string, failure?: unknown) => coalescer.write({ id, failure })
  /** Begins as many writes as may run at a time. */
  const fill = () => Array.from({ length: MAX_RUNNING }, (_, index) => write(`held ${index}`))
  const release = () => held.splice(0).forEach((end) => end())
  return { log, write, fill, release, later: (ms: number) => (now += ms) }
}

const refusal = new ApiError(400, 'invalid_request_error', 'refused', 'Refused.')

describe('a coalescer', () => {
  test('runs writes alone while few run', async () => {
    const { log, write } = setUp()
    expect([await write('a'), await write('b')]).toEqual(['a alone', 'b alone'])
    expect(log).toEqual(['a', 'b'])
  })

  test('lets the writes that arrived meanwhile share a statement, in their order', async () => {
    const { log, write, fill, release } = setUp()
    const first = fill()
    const others = [write('a'), write('b'), write('c')]
    release()
    expect(await Promise.all(first)).toEqual(first.map((_, index) => `held ${index} alone`))
    expect(await Promise.all(others)).toEqual(['a together', 'b together', 'c together'])
    expect(log.at(-1)).toBe('a+b+c')
  })

  test('does not wait for writes that do not end', async () => {
    const { write, fill, release } = setUp()
    const first = fill()
    expect(await Promise.all([write('a'), write('b')])).toEqual(['a together', 'b together'])
    release()
    await Promise.all(first)
  })

  test('writes an entity once in a statement, and new entities any number of times', async () => {
    const { log, write, fill, release } = setUp()
    const first = fill()
    const others = ['a', 'b', 'a', 'new', 'a', 'new'].map((id) => write(id))
    release()
    await Promise.all([...first, ...others])
    expect(log.slice(MAX_RUNNING).toSorted()).toEqual(['a', 'a', 'a+b+new+new'])
  })

  test('writes a limited number together', async () => {
    const { log, write, fill, release } = setUp()
    const first = fill()
    const others = Array.from({ length: MAX_TOGETHER + 2 }, () => write('new'))
    release()
    await Promise.all([...first, ...others])
    expect(log.map((ids) => ids.split('+').length).slice(MAX_RUNNING)).toEqual([MAX_TOGETHER, 2])
  })

  test('rejects only those that are refused', async () => {
    const { write, fill, release } = setUp()
    const first = fill()
    const others = [write('a'), write('b', refusal), write('c')]
    release()
    const settled = await Promise.allSettled(others)
    expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : each.reason))).toEqual([
      'a together',
      refusal,
      'c together',
    ])
    await Promise.all(first)
  })

  test.each([
    ['a conflict', new VersionConflict()],
    ['an error of PostgreSQL', Object.assign(new Error('deadlock'), { code: '40P01' })],
    ['an error of the service', new TypeError('undefined is not a function')],
  ])('writes each alone after %s, and the next ones for a second', async (_, failure) => {
    const { log, write, fill, release, later } = setUp()
    const first = fill()
    const others = [write('a'), write('b', failure)]
    release()
    expect(await Promise.all(others)).toEqual(['a alone', 'b alone'])
    const again = [...fill(), write('held 2')]
    expect(log.at(-1)).toBe('held 2')
    later(1000)
    const coalesced = [...fill(), write('c'), write('d')]
    release()
    await Promise.all([...first, ...again, ...coalesced])
    expect(log.at(-1)).toEndWith('c+d')
  })

  test.each(['CONNECTION_CLOSED', 'ECONNRESET', '57P01', '08006', '40003'])(
    'writes nothing twice after %s, which may follow a commit',
    async (code) => {
      const { log, write, fill, release } = setUp()
      const failure = Object.assign(new Error('lost'), { code })
      const first = fill()
      const others = [write('a'), write('b', failure)]
      release()
      const settled = await Promise.allSettled(others)
      expect(settled.map((each) => each.status === 'rejected' && each.reason)).toEqual([failure, failure])
      await Promise.all(first)
      expect(log.at(-1)).toBe('a+b')
    },
  )
})
