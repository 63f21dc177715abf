/** What the metrics say of the workers of a process. See docs/monitoring/README.md. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { createMetrics } from '#api/http/monitoring/metrics'
import type { NumberFamily } from '#base/monitoring/metric-families'
import { createStatisticsOfWorkers } from '#base/timing/worker-statistics'
import { useTestService } from '#testing/use-service'
import { until } from '#testing/until'
import { createWorkers, QUEUES, readQueueLengths, WORKERS } from './workers'

const statistics = createStatisticsOfWorkers()
const metrics = createMetrics({ workers: statistics.states })
const service = useTestService({}, () => ({ metrics }))

/** The values of a family by its only label. */
function valuesOf(name: string): Record<string, number> {
  const family = metrics.families().find((each) => each.name === name) as NumberFamily // no histogram is asked for
  return Object.fromEntries(family.samples.map(({ labels, value }) => [Object.values(labels)[0], value]))
}

describe('the workers of a process', () => {
  test('are all counted, and those that look for work at the start have run', async () => {
    const workers = createWorkers(statistics)
    const { appContext, url } = service
    await workers.start({ ...appContext, url, eventsDays: 30, indexUnusedDays: 30, backups: undefined })
    await until(() => (valuesOf('relata_worker_runs_total').indexes ?? 0) > 0)
    await workers.stop()
    expect(Object.keys(valuesOf('relata_worker_runs_total')).toSorted()).toEqual(
      WORKERS.map(({ name }) => name).toSorted(),
    )
    expect(valuesOf('relata_worker_failures_total')).toMatchObject({ indexes: 0, interactions: 0 })
    expect(valuesOf('relata_worker_seconds_total').indexes).toBeGreaterThan(0)
  })
})

test('docs/monitoring has all workers', () => {
  const page = readFileSync(join(import.meta.dir, '../../../docs/monitoring/README.md'), 'utf8')
  const table = page.slice(page.indexOf('The **workers**'), page.indexOf('## Dashboard'))
  const names = [...table.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(
    ([, cell = '']) => cell.match(/(?<=`)[^`,]+(?=`)/g) ?? [],
  )
  const documented = names.filter((name) => !['worker', 'queue'].includes(name))
  expect(documented.toSorted()).toEqual(['publisher', 'webhooks', ...WORKERS.map(({ name }) => name)].toSorted())
})

describe('the queues', () => {
  test('all have a length', async () => {
    await readQueueLengths(service.appContext)
    const waiting = valuesOf('relata_queue_waiting')
    expect(Object.keys(waiting)).toHaveLength(QUEUES.length + 1)
    expect(waiting).toMatchObject({ jobs: 0, contacts: 0, webhooks: 0 })
  })

  test('of contacts and of webhooks say how much waits and since when', async () => {
    const { db, workspaceId, request } = service
    await db.sql`
      insert into relata.contact_jobs (workspace_id, id, record_ids, is_bulk, created_at, due_at)
      values (${workspaceId}, gen_random_uuid(), array[gen_random_uuid()], false, now(), now() - interval '1 hour')`
    const webhook = {
      target_url: 'https://example.com/',
      subscriptions: [{ event_type: 'list.created', filter: null }],
    }
    const { id } = (await request('POST', '/v2/webhooks', { data: webhook })).body.data
    await db.sql`
      insert into relata.deliveries (workspace_id, webhook_id, id, position, event_id, event_type, idempotency_key, body, created_at, kind, due_at)
      values (${workspaceId}, ${id.webhook_id}, gen_random_uuid(), 1, gen_random_uuid(), 'list.created', gen_random_uuid(), '{}', now(), 'event', now())`
    await db.sql`update relata.webhooks set due_at = now() - interval '2 hours'`
    await readQueueLengths(service.appContext)
    expect(valuesOf('relata_queue_waiting')).toMatchObject({ contacts: 1, webhooks: 1, jobs: 0 })
    const { contacts, webhooks, jobs } = valuesOf('relata_queue_oldest_seconds')
    expect([Math.floor((contacts ?? 0) / 3600), Math.floor((webhooks ?? 0) / 3600), jobs]).toEqual([1, 2, 0])
  })
})
