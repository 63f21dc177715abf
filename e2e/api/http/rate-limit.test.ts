/** Two services on one database enforce one limit together. See docs/reference/errors-and-limits.md (Rate limits). */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { startService } from '../../support/service/service'
import { type RunningProcess, startProcess } from '../../support/service/start'

const LIMIT = 50
const settings = { RELATA_RATE_LIMIT_READS: String(LIMIT) }

const service = forThisFile(() => startService(settings))
let second: RunningProcess
beforeAll(async () => {
  second = await startProcess({ ...settings, DATABASE_URL: service().databaseUrl })
})
afterAll(async () => {
  expect(await second.stop()).toBe(0)
})

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
}

const isAdmitted = ({ status }: Answer) => status === 200

/** Sends requests to both services without pause, from two clients each, while `goesOn` returns true for the responses so far. */
async function hammer(answers: Answer[], goesOn: () => boolean): Promise<void> {
  const askOne = async (url: string) => {
    while (goesOn()) {
      const answer = await fetch(`${url}/v2/objects`, { headers: { Authorization: `Bearer ${service().key}` } })
      await answer.arrayBuffer()
      answers.push({ status: answer.status, retryAfter: answer.headers.get('retry-after') })
    }
  }
  await Promise.all([service().url, second.url].flatMap((url) => [askOne(url), askOne(url)]))
}

test('a key gets the requests of one second immediately at both services together, then those that the refilled bucket allows', async () => {
  const begun = performance.now()
  const answers: Answer[] = []
  const admitted = () => answers.filter(isAdmitted).length
  // The bucket holds the requests of one second, so the loop ends only when the bucket is refilled.
  await hammer(answers, () => admitted() < 2 * LIMIT)
  const seconds = (performance.now() - begun) / 1000
  expect(admitted()).toBeLessThanOrEqual(LIMIT * (1 + seconds))
  const refused = answers.filter(({ status }) => status === 429)
  expect(admitted() + refused.length).toBe(answers.length)
  for (const { retryAfter } of refused) expect(retryAfter).toBe(new Date(Date.parse(retryAfter ?? '')).toUTCString())
})
