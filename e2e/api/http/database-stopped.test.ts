/** The responses of the service while PostgreSQL does not answer, and while it is unreachable. */

import { expect, test } from 'bun:test'
import { breach } from '../../support/http/contract'
import { freshDatabase } from '../../support/service/database'
import { createRequest } from '../../support/http/client'
import { startProcess } from '../../support/service/start'
import { startTcpRelay } from '../../support/service/tcp-relay'
import { until } from '../../support/until'

test('/readyz is 503 while the database does not answer or is unreachable, and 200 after that', async () => {
  const database = await freshDatabase()
  const relay = await startTcpRelay(database.url)
  const service = await startProcess({ DATABASE_URL: relay.url })
  const request = createRequest(service.url, '')
  const readiness = async () => (await request('GET', '/readyz', undefined, { key: null })).status

  expect(await readiness()).toBe(200)
  relay.pause()
  // The database does not answer before `resume`, so every response comes before that.
  for (let count = 0; count < 3; count++) {
    const { status, headers, body } = await request('GET', '/readyz', undefined, { key: null })
    expect([status, breach('GET', '/readyz', status, body)]).toEqual([503, undefined])
    expect(headers.get('retry-after')).toEndWith(' GMT')
  }
  expect((await request('GET', '/healthz', undefined, { key: null })).status).toBe(200)
  relay.resume()
  await until(async () => (await readiness()) === 200, { why: service.output })
  relay.refuse()
  await until(async () => (await readiness()) === 503, { why: service.output })
  relay.accept()
  await until(async () => (await readiness()) === 200, { why: service.output })

  expect(await service.stop()).toBe(0)
  relay.close()
  await database.drop()
})
