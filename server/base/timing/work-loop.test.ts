import { expect, test } from 'bun:test'
import { currentScope, runInScope } from '#base/monitoring/trace-context'
import { createWorkLoop } from './run-periodically'
import { createDelayedCall } from './wait'

const unexpected = (error: unknown) => {
  throw error
}

/** Work whose runs end when the test lets them. */
function controlledWork() {
  const runs: PromiseWithResolvers<void>[] = []
  const work = () => {
    const run = Promise.withResolvers<void>()
    runs.push(run)
    return run.promise
  }
  return { runs, work }
}

test('runs once more for any number of requests during a run', async () => {
  const { runs, work } = controlledWork()
  const loop = createWorkLoop(work, unexpected)
  for (let count = 0; count < 3; count++) loop.request()
  expect(runs.length).toBe(1)
  runs[0]?.resolve()
  await runs[0]?.promise
  await Promise.resolve()
  expect(runs.length).toBe(2)
  runs[1]?.resolve()
  await loop.settled()
  expect([runs.length, loop.running]).toEqual([2, undefined])
})

test('loses no request that comes right after a run', async () => {
  let count = 0
  const loop = createWorkLoop(async () => void count++, unexpected)
  for (let request = 1; request <= 20; request++) {
    loop.request()
    for (let turn = 0; turn < request % 5; turn++) await Promise.resolve()
  }
  const before = count
  loop.request()
  await loop.settled()
  expect(count).toBeGreaterThan(before)
})

test('begins no run after it is stopped', async () => {
  const { runs, work } = controlledWork()
  const loop = createWorkLoop(work, unexpected)
  loop.request()
  loop.request()
  loop.stop()
  runs[0]?.resolve()
  await loop.settled()
  loop.request()
  expect(runs.length).toBe(1)
})

test('reports a failed run and runs again at the next request', async () => {
  const errors: unknown[] = []
  let count = 0
  const loop = createWorkLoop(
    async () => {
      if (++count === 1) throw new Error('no database')
    },
    (error) => errors.push(error),
  )
  loop.request()
  await loop.settled()
  loop.request()
  await loop.settled()
  expect([count, errors]).toEqual([2, [new Error('no database')]])
})

test('a run does not belong to the request that asks for it, nor does a delayed call', async () => {
  const scope = { route: '/v2/self', workspaceId: undefined, clientId: undefined, trace: undefined, endedAt: undefined }
  const seen: unknown[] = []
  const loop = createWorkLoop(async () => void seen.push(currentScope()), unexpected)
  const called = Promise.withResolvers<unknown>()
  const call = createDelayedCall(() => called.resolve(currentScope()), 1)
  await runInScope(scope, async () => {
    loop.request()
    call.request()
    seen.push(currentScope())
    await loop.settled()
  })
  expect([...seen, await called.promise]).toEqual([undefined, scope, undefined])
})
