/** Incomplete bodies are the fault of clients, so the log has no error for them. */

import { expect, test } from 'bun:test'
import { freshDatabase } from '../../support/service/database'
import { sendAndLeave } from '../../support/http/raw-http'
import { keyIn, startProcess } from '../../support/service/start'
import { until } from '../../support/until'

const TARGETS = [
  '/v2/objects/people/records',
  '/v2/objects/people/records/query',
  '/oauth/token',
  '/authorize',
  '/hooks/x',
  '/console/api/sign-in',
]
const BODIES = ['Content-Length: 1000\r\n\r\n{"data":', 'Transfer-Encoding: chunked\r\n\r\n8\r\n{"data":\r\n']

test('a body that the client does not complete leaves no error in the log', async () => {
  const database = await freshDatabase()
  const service = await startProcess({ DATABASE_URL: database.url, RELATA_METRICS: '1' })
  const key = keyIn(service.output())
  for (const target of TARGETS) {
    for (const body of BODIES) {
      const head = `POST ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`
      await sendAndLeave(service.url, head + body)
    }
  }
  // The metrics count each of the four requests of the API when its response is made, although no client reads it.
  const counted = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    const totals = text.matchAll(/^relata_requests_total\{operation="[^"]*",status="400"\} (\d+)$/gm)
    return [...totals].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  await until(async () => (await counted()) === 4, { why: service.output })
  expect(await service.stop()).toBe(0)
  expect(service.output()).not.toContain('"level":"error"')
  await database.drop()
})
