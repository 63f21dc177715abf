/** Concurrent guesses: all right guesses are allowed, and as many wrong ones as with guesses one after the other. */

import { beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '#base/errors/api-error'
import { makeApp, post } from '#testing/oauth'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'
import { checkGuess } from './guesses'
import { fixedWindow, exponentialBackOff } from './throttle'

const service = useTestService({ trustedProxies: 1 })

let made = 0
const limit = (most: number) => ({ subject: `test ${++made}`, rule: fixedWindow(most, 60) })

/** Returns the result of each guess, and how many were checked at the same time. */
async function guess(limits: Parameters<typeof checkGuess>[1], guesses: readonly boolean[]): Promise<string[]> {
  let running = 0
  let mostRunning = 0
  const answers = await Promise.all(
    guesses.map(async (isRight) => {
      try {
        await checkGuess(service.db, limits, service.appContext.now, async () => {
          mostRunning = Math.max(mostRunning, ++running)
          await service.db.sql`select 1`
          running -= 1
          return { isRight }
        })
        return isRight ? 'right' : 'wrong'
      } catch (error) {
        return error instanceof ApiError && error.status === 429 ? 'refused' : String(error)
      }
    }),
  )
  return [...answers, `${mostRunning} at once`]
}

const times = (count: number, isRight: boolean): boolean[] => Array.from({ length: count }, () => isRight)
const count = (answers: readonly string[], answer: string) => answers.filter((each) => each === answer).length

describe('checkGuess', () => {
  test('allows any number of right guesses, and checks no more at the same time than may be wrong', async () => {
    const answers = await guess([limit(5)], times(20, true))
    expect(count(answers, 'right')).toBe(20)
    expect(Number.parseInt(answers.at(-1) ?? '')).toBeLessThanOrEqual(5)
  })

  test('allows as many wrong guesses as with guesses one after the other', async () => {
    const answers = await guess([limit(5)], times(20, false))
    expect([count(answers, 'wrong'), count(answers, 'refused')]).toEqual([5, 15])
  })

  test('counts only wrong guesses, and no refused ones', async () => {
    const both = [limit(5), { subject: `test ${++made}`, rule: exponentialBackOff(5, 900), clearsOnSuccess: true }]
    const first = await guess(both.slice(0, 1), [true, false, true, false, true, false, true])
    expect([count(first, 'right'), count(first, 'wrong')]).toEqual([4, 3])
    const second = await guess(both, times(10, false))
    expect([count(second, 'wrong'), count(second, 'refused')]).toEqual([2, 8])
    const [row] = await service.db
      .sql`select count, pending from relata.attempts where subject = ${both[1]?.subject ?? ''}`
    expect(row).toEqual({ count: 2, pending: 0 })
  })

  test('a guess whose check failed counts as neither right nor wrong', async () => {
    const limits = [limit(1)]
    const failing = checkGuess(service.db, limits, service.appContext.now, () => Promise.reject(new Error('away')))
    await expect(failing).rejects.toThrow('away')
    expect(count(await guess(limits, [true]), 'right')).toBe(1)
  })

  test('pending guesses of a dead worker expire', async () => {
    const limits = [limit(1)]
    const [{ subject } = { subject: '' }] = limits
    await guess(limits, [true])
    await service.db.sql`
      update relata.attempts set pending = 1, pending_until = now() - interval '1 second' where subject = ${subject}`
    expect(count(await guess(limits, [true]), 'right')).toBe(1)
  })
})

describe('a guess that waits for others', () => {
  let micros = 0
  const now = () => micros
  const checkFor = (seconds: number) => async () => {
    micros += seconds * 1_000_000
    return { isRight: true }
  }
  beforeEach(() => {
    micros = service.appContext.now()
  })

  test('is allowed, however long the checks before it take', async () => {
    const limits = [limit(1)]
    const checks = Array.from({ length: 5 }, () => checkGuess(service.db, limits, now, checkFor(50)))
    expect((await Promise.all(checks)).every(({ isRight }) => isRight)).toBe(true)
  })

  test('429 when another process reserves all guesses for more than a minute', async () => {
    const limits = [limit(1)]
    await checkGuess(service.db, limits, now, checkFor(1))
    await service.db.sql`
      update relata.attempts set pending = 5, pending_until = 'infinity' where subject = ${limits[0]?.subject ?? ''}`
    const refusal = checkGuess(service.db, limits, () => (micros += 20_000_000), checkFor(1))
    await expect(refusal).rejects.toMatchObject({ status: 429 })
  })
})

test('200 for sixty concurrent introspections', async () => {
  const app = await makeApp(service)
  const parameters = { client_id: app.app.id, client_secret: app.secret, token: 'x' }
  const answers = await Promise.all(Array.from({ length: 60 }, () => post(service, '/oauth/introspect', parameters)))
  expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200))
})

test('200 for ten concurrent sign-ins with the right password', async () => {
  const { email_address, password } = await signedIn(service)
  const headers = { 'X-Forwarded-For': '203.0.113.7' }
  const signIn = () =>
    service.request('POST', '/console/api/sign-in', { email_address, password }, { key: null, headers })
  const answers = await Promise.all(Array.from({ length: 10 }, signIn))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
})
