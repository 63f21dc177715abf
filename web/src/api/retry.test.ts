import { expect, test } from 'bun:test'
import { ApiError } from './errors'
import { retryOn } from './retry'

/** Is refused with these statuses, then returns how often it was called. */
function refusedWith(...statuses: number[]): () => Promise<number> {
  let calls = 0
  return async () => {
    const status = statuses[calls++]
    if (status !== undefined) throw new ApiError(status, 'unavailable', `Refused with ${status}.`)
    return calls
  }
}

test('a request is sent again while the service refuses with the status', async () => {
  expect(await retryOn(503, [0, 0], refusedWith())).toBe(1)
  expect(await retryOn(503, [0, 0], refusedWith(503, 503))).toBe(3)
})

test('the last refusal, and any other one, is thrown', async () => {
  await expect(retryOn(503, [0, 0], refusedWith(503, 503, 503))).rejects.toMatchObject({ status: 503 })
  await expect(retryOn(503, [0, 0], refusedWith(500))).rejects.toMatchObject({ status: 500 })
})

test('a request that was aborted is not sent again', async () => {
  const aborted = AbortSignal.abort()
  await expect(retryOn(503, [0, 0], refusedWith(503), aborted)).rejects.toMatchObject({ name: 'AbortError' })
})
