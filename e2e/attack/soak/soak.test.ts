/**
 * Eight clients of two processes write to few records at the same time, in every way there is. Afterwards all invariants hold: keys equal values,
 * both sides of references agree, histories have no overlaps, the trash has what was deleted, and the feed has one event for every change.
 * See README.md (Testing).
 */

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkConsistency } from '../../support/consistency/check-consistency'
import { checkRelationships } from '../../support/consistency/check-relationships'
import { readWorkspace } from '../../support/consistency/workspace-tables'
import { createRequest, type Request } from '../../support/http/client'
import { makeList } from '../../support/fixtures/model'
import { makeRelatedObjects, OBJECTS, type RecordIds, send } from '../../support/fixtures/random-writes'
import { openReader, type Reader } from '../../support/service/database'
import { startService } from '../../support/service/service'
import { startProcess } from '../../support/service/start'
import { until } from '../../support/until'
import { seed } from '../requests'
import { differencesNow, followChains, readDeliveredEvents } from './event-values'
import { readFeed, replayFaults } from './feed'
import { sendSoakWrite, type SoakState, soakWrites } from './writes'

const CLIENTS = 8
/** RELATA_SOAK sets the number of writes of each client, such as 300 for some minutes. */
const WRITES_EACH = Number(process.env.RELATA_SOAK ?? 30)

/** The status and code that a client may get when others write as well. */
const ALLOWED = new Set([
  '200',
  '201',
  '202',
  'import 0',
  '400 uniqueness_conflict',
  '400 value_not_found',
  '400 multiple_match_results',
  '400 self_merge',
  // Of an atomic batch.
  '400 not_found',
  '404 not_found',
  '404 value_not_found',
  '409 uniqueness_conflict',
  // Both requests of a retried batch ran at the same time, or its answer was erased.
  '409 idempotency_conflict',
  '409 uniqueness',
  '403 missing_entitlement',
])

test('all invariants hold after concurrent writes of every kind', async () => {
  const service = await startService()
  const reader = openReader(service.databaseUrl)
  const second = await startProcess({ DATABASE_URL: service.databaseUrl })
  try {
    const { request } = service
    const requests = [request, withoutFailures(createRequest(second.url, service.key))]
    await makeRelatedObjects(request)
    await makeList(
      request,
      'soak',
      [
        { api_slug: 'text', type: 'text' },
        { api_slug: 'code', type: 'text', is_unique: true },
      ],
      'alpha',
    )
    const subscriptions = [
      ...['record.created', 'record.deleted', 'record.merged'].map((event_type) => ({ event_type, filter: null })),
      { event_type: 'record.updated', filter: null, include: ['values'] },
    ]
    // No receiver is there: the deliveries wait.
    const hook = { data: { target_url: 'https://example.invalid/hook', subscriptions } }
    const webhookId: string = (await request('POST', '/v2/webhooks', hook)).body.data.id.webhook_id
    const known: RecordIds = { alpha: [], beta: [] }
    for (const object of OBJECTS)
      for (let count = 0; count < 6; count++) await send(request, known, { verb: 'create', object, values: {} })
    const shared = { known, entries: [], importCsv: (csv: string) => importCsv(service.databaseUrl, csv) }
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

/** Whether no job runs and no event waits. */
async function isAtRest(reader: Reader): Promise<boolean> {
  const [jobs, outbox] = [
    await reader`select 1 from relata.jobs where ended_at is null limit 1`,
    await reader`select 1 from relata.outbox union all select 1 from w_1.outbox limit 1`,
  ]
  return jobs.length + outbox.length === 0
}

async function faultsOf(request: SoakState['request'], reader: Reader, webhookId: string): Promise<string[]> {
  const faults = await checkConsistency(reader)
  const { entityTypes } = await readWorkspace(reader)
  const living = entityTypes.map(({ api_slug, entities }) => [api_slug, entities.map(({ id }) => id)] as const)
  const ofObjects = living.filter(([slug]) => OBJECTS.some((object) => object === slug))
  faults.push(...(await checkRelationships(request, Object.fromEntries(ofObjects))))
  const feed = await readFeed(request, 97)
  faults.push(...replayFaults(feed, new Set(living.flatMap(([, ids]) => ids))))
  const [positions] = await reader<{ count: number; span: number }[]>`
    select count(*)::int as count, (max(position) - min(position) + 1)::int as span from relata.events`
  if (positions?.count !== positions?.span) faults.push(`positions have gaps: ${JSON.stringify(positions)}`)
  const chains = followChains(await readDeliveredEvents(reader, webhookId))
  faults.push(...chains.faults)
  for (const object of OBJECTS) faults.push(...(await differencesNow(request, object, chains)))
  return faults
}

/** Imports a file as operators do. */
async function importCsv(databaseUrl: string, csv: string): Promise<number> {
  const file = join(tmpdir(), `relata-soak-${crypto.randomUUID()}.csv`)
  await Bun.write(file, csv)
  const child = Bun.spawn([process.execPath, 'server/run/cli/main.ts', 'import', 'alpha', file, '--match', 'code'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const code = await child.exited
  for (const path of [file, `${file}.errors.csv`]) await rm(path, { force: true })
  return code
}
