import { describe, expect, test } from 'bun:test'
import { createAnswers } from '../response/answer'
import { healthRoutes } from './health'
import { captureLog } from '../../testing/captured-log'

const answers = createAnswers('relata')
const ask = (app: ReturnType<typeof healthRoutes>, path = '/readyz') =>
  app.handle(new Request(`http://localhost${path}`))

describe('GET /readyz', () => {
  test('200 when the database can be used', async () => {
    const app = healthRoutes(answers, async () => true)
    expect([(await ask(app)).status, (await ask(app)).status]).toEqual([200, 200])
  })

  test('503 when the database is not migrated', async () => {
    expect((await ask(healthRoutes(answers, async () => false))).status).toBe(503)
  })

  test('503 with an error body while the database does not answer, and probes at the same time share one check', async () => {
    let asked = 0
    const silent = Promise.withResolvers<boolean>()
    const app = healthRoutes(answers, () => (asked++, silent.promise), 1)
    for (const response of [await ask(app), await ask(app), await ask(app)]) {
      expect(response.status).toBe(503)
      expect(response.headers.has('retry-after')).toBe(true)
      expect(await response.json()).toMatchObject({ status_code: 503, type: 'api_error', code: 'unavailable' })
    }
    expect(asked).toBe(1)
    silent.resolve(true)
    await silent.promise
    expect((await ask(app)).status).toBe(200)
  })

  test('503 while the database cannot be reached, and 200 when it can be reached again', async () => {
    let isAway = true
    const app = healthRoutes(answers, async () => {
      if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
      return true
    })
    const log: string[] = []
    expect((await captureLog(() => ask(app), log)).status).toBe(503)
    expect(log).toEqual([expect.stringContaining('ECONNREFUSED')])
    isAway = false
    expect((await ask(app)).status).toBe(200)
  })
})

test('GET /healthz is 200 also without the database', async () => {
  const app = healthRoutes(answers, () => Promise.reject(new Error('away')))
  expect((await ask(app, '/healthz')).status).toBe(200)
})
