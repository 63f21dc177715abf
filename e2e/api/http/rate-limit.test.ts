/** Two services on one database hold one limit together. See docs/reference/errors-and-limits.md (Rate limits). */

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

/** Asks both services without pause, by two clients each, for as long as `goesOn` says of all answers so far. */
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

test('whichever is asked, a key gets a second’s worth at once and then as much as time allows', async () => {
  const begun = performance.now()
  const answers: Answer[] = []
  const admitted = () => answers.filter(isAdmitted).length
  // Twice a second's worth is more than there is at once: it ends only if time brings new ones.
  await hammer(answers, () => admitted() < 2 * LIMIT)
  const seconds = (performance.now() - begun) / 1000
  expect(admitted()).toBeLessThanOrEqual(LIMIT * (1 + seconds))
  const refused = answers.filter(({ status }) => status === 429)
  expect(admitted() + refused.length).toBe(answers.length)
  for (const { retryAfter } of refused) expect(retryAfter).toBe(new Date(Date.parse(retryAfter ?? '')).toUTCString())
})
