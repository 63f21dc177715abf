/** Two services on one database hold one limit together. Spec: errors-and-limits 3. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { forThisFile } from '../../support/for-this-file'
import { startService } from '../../support/service'
import { type RunningProcess, startProcess } from '../../support/start'

const LIMIT = 50
const SECONDS = 2
const settings = { RELATA_RATE_LIMIT_READS: String(LIMIT) }

const service = forThisFile(() => startService(settings))
let second: RunningProcess
beforeAll(async () => {
  second = await startProcess({ ...settings, DATABASE_URL: service().databaseUrl })
}, 60_000)
afterAll(async () => {
  expect(await second.stop()).toBe(0)
}, 30_000)

/** Asks without pause until `end`; gives what was answered. */
async function hammer(url: string, end: number): Promise<{ status: number; retryAfter: string | null }[]> {
  const answers = []
  while (performance.now() < end) {
    const answer = await fetch(`${url}/v2/objects`, { headers: { Authorization: `Bearer ${service().key}` } })
    await answer.arrayBuffer()
    answers.push({ status: answer.status, retryAfter: answer.headers.get('retry-after') })
  }
  return answers
}

test('whichever is asked, a key gets a second’s worth at once and then as much as time allows', async () => {
  const begun = performance.now()
  const end = begun + SECONDS * 1000
  const clients = [service().url, second.url].flatMap((url) => [hammer(url, end), hammer(url, end)])
  const answers = (await Promise.all(clients)).flat()
  const seconds = (performance.now() - begun) / 1000
  const admitted = answers.filter(({ status }) => status === 200).length
  expect(admitted).toBeLessThanOrEqual(LIMIT * (1 + seconds))
  expect(admitted).toBeGreaterThan(LIMIT * SECONDS)
  const refused = answers.filter(({ status }) => status === 429)
  expect(admitted + refused.length).toBe(answers.length)
  for (const { retryAfter } of refused) expect(retryAfter).toBe(new Date(Date.parse(retryAfter ?? '')).toUTCString())
})
