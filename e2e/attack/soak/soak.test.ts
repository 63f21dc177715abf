/**
 * Eight clients of two processes write to few records at the same time, in every way there is. Afterwards all invariants hold: keys equal values,
 * both sides of references agree, histories have no overlaps, the trash has what was deleted, and the feed has one event for every change.
 * See README.md (Testing).
 */

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createRequest, type Request } from '../../support/http/client'
import { openReader } from '../../support/service/database'
import { startService } from '../../support/service/service'
import { startProcess } from '../../support/service/start'
import { until } from '../../support/until'
import { seed } from '../requests'
import { ALLOWED, faultsOf, importCsv, isAtRest, makeSoakData, SUBSCRIPTIONS } from './invariants'
import { sendSoakWrite, type SoakState, soakWrites } from './writes'

const CLIENTS = 8
/** RELATA_SOAK sets the number of writes of each client, such as 300 for some minutes. */
const WRITES_EACH = Number(process.env.RELATA_SOAK ?? 30)

test('all invariants hold after concurrent writes of every kind', async () => {
  const service = await startService()
  const reader = openReader(service.databaseUrl)
  const second = await startProcess({ DATABASE_URL: service.databaseUrl })
  try {
    const { request } = service
    const requests = [request, withoutFailures(createRequest(second.url, service.key))]
    // No receiver is there: the deliveries wait.
    const hook = { data: { target_url: 'https://example.invalid/hook', subscriptions: SUBSCRIPTIONS } }
    const webhookId: string = (await request('POST', '/v2/webhooks', hook)).body.data.id.webhook_id
    const known = await makeSoakData(request)
    const shared = {
      known,
      entries: [],
      importCsv: (csv: string) => importCsv({ DATABASE_URL: service.databaseUrl }, csv),
    }
    const plans = fc.sample(fc.array(soakWrites, { minLength: WRITES_EACH, maxLength: WRITES_EACH }), {
      seed,
      numRuns: CLIENTS,
    })
    const outcomes = (
      await Promise.all(
        plans.map(async (plan, client) => {
          const own: string[] = []
          const state: SoakState = { ...shared, request: requests[client % requests.length] ?? request }
          for (const write of plan) own.push(...(await sendSoakWrite(state, write)))
          return own
        }),
      )
    ).flat()
    expect([...new Set(outcomes)].filter((outcome) => !ALLOWED.has(outcome))).toEqual([])
    await until(async () => await isAtRest(reader))
    expect(await faultsOf(service.request, reader, webhookId)).toEqual([])
    // Only a publisher that fails leaves a gap between positions.
    const [positions] = await reader<{ count: number; span: number }[]>`
      select count(*)::int as count, (max(position) - min(position) + 1)::int as span from relata.events`
    expect(positions?.count).toBe(Number(positions?.span))
  } finally {
    await reader.end()
    expect([await second.stop(), await service.close()]).toEqual([0, 0])
  }
}, 3_600_000)

/** No request may cause a status 500 or higher. */
const withoutFailures =
  (request: Request): Request =>
  async (method, path, ...rest) => {
    const answer = await request(method, path, ...rest)
    if (answer.status >= 500) throw new Error(`${method} ${path} answered ${answer.status}`)
    return answer
  }
