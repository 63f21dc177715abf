/** What holds after concurrent writes of every kind, and the data that they begin with. */

import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkConsistency } from '../../support/consistency/check-consistency'
import { checkRelationships } from '../../support/consistency/check-relationships'
import { readWorkspace } from '../../support/consistency/workspace-tables'
import type { Request } from '../../support/http/client'
import { makeList } from '../../support/fixtures/model'
import { makeRelatedObjects, OBJECTS, type RecordIds, send } from '../../support/fixtures/random-writes'
import type { Reader } from '../../support/service/database'
import { SECRET_KEY } from '../../support/service/start'
import { differencesNow, followChains, readDeliveredEvents } from './event-values'
import { readFeed, replayFaults } from './feed'

/** The status and code that a client may get when others write as well. */
export const ALLOWED = new Set([
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

/** Creates the objects, a list and some records. */
export async function makeSoakData(request: Request): Promise<RecordIds> {
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
  const known: RecordIds = { alpha: [], beta: [] }
  for (const object of OBJECTS)
    for (let count = 0; count < 6; count++) await send(request, known, { verb: 'create', object, values: {} })
  return known
}

/** The subscriptions of the webhook whose deliveries have the values of all changes. */
export const SUBSCRIPTIONS = [
  ...['record.created', 'record.deleted', 'record.merged'].map((event_type) => ({ event_type, filter: null })),
  { event_type: 'record.updated', filter: null, include: ['values'] },
]

/** Whether no job runs and no event waits. */
export async function isAtRest(reader: Reader): Promise<boolean> {
  const [jobs, outbox] = [
    await reader`select 1 from relata.jobs where ended_at is null limit 1`,
    await reader`select 1 from relata.outbox union all select 1 from w_1.outbox limit 1`,
  ]
  return jobs.length + outbox.length === 0
}

export async function faultsOf(request: Request, reader: Reader, webhookId: string): Promise<string[]> {
  const faults = await checkConsistency(reader)
  const { entityTypes } = await readWorkspace(reader)
  const living = entityTypes.map(({ api_slug, entities }) => [api_slug, entities.map(({ id }) => id)] as const)
  const ofObjects = living.filter(([slug]) => OBJECTS.some((object) => object === slug))
  faults.push(...(await checkRelationships(request, Object.fromEntries(ofObjects))))
  const feed = await readFeed(request, 97)
  faults.push(...replayFaults(feed, new Set(living.flatMap(([, ids]) => ids))))
  const chains = followChains(await readDeliveredEvents(reader, webhookId))
  faults.push(...chains.faults)
  for (const object of OBJECTS) faults.push(...(await differencesNow(request, object, chains)))
  return faults
}

/** Imports a file as operators do. `database` has the settings that name the database. Returns the exit code. */
export async function importCsv(database: Readonly<Record<string, string>>, csv: string): Promise<number> {
  const file = join(tmpdir(), `relata-soak-${crypto.randomUUID()}.csv`)
  await Bun.write(file, csv)
  const child = Bun.spawn([process.execPath, 'server/run/cli/main.ts', 'import', 'alpha', file, '--match', 'code'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...SECRET_KEY, ...database },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const code = await child.exited
  for (const path of [file, `${file}.errors.csv`]) await rm(path, { force: true })
  return code
}
