/** Traces of jobs, imports and index builds. See docs/monitoring/README.md (Traces). */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { importWorker } from '#api/console/imports/worker'
import { jobWorker } from '#api/jobs/run/worker'
import { RECORD_JOBS } from '#api/resources/records/resource'
import { createOtlpClient } from '#base/monitoring/otlp'
import { createStatementMonitor } from '#base/monitoring/statement-monitor'
import { createTracer, traceBackgroundWork, type Tracer } from '#base/monitoring/tracer'
import type { AppContext } from '#context'
import { measureStatements } from '#db/driver/measure-statements'
import { createClient } from '#testing/client'
import { importsOf } from '#testing/imports'
import { attributeOf, type OtlpReceiver, startOtlpReceiver } from '#testing/otlp-receiver'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'
import { runWorker } from '#testing/workers'
import { createApp } from '../../../app'

const SAMPLED = `00-${'a'.repeat(32)}-b7ad6b7169203331-01`
const UNSAMPLED = `00-${'b'.repeat(32)}-b7ad6b7169203331-00`

const service = useTestService()
let receiver: OtlpReceiver
let tracer: Tracer
let context: AppContext
beforeAll(() => {
  receiver = startOtlpReceiver()
  const client = createOtlpClient({ endpoint: receiver.url, headers: {}, resource: {} })
  tracer = createTracer(client, { sampler: 'parentbased_always_on', ratio: 1 })
  context = { ...service.appContext, monitor: { logsRequests: false, logsStatements: false, tracer } }
  measureStatements(service.db.sql, createStatementMonitor({ tracer }))
})
afterAll(async () => {
  measureStatements(service.db.sql, undefined)
  await receiver.close()
})

/** Returns the exported spans. No span can be recorded after it. */
async function exported() {
  await tracer.stop()
  return receiver.spans
}

test('jobs and imports have traces of their own, with links to their requests, statements and events', async () => {
  const app = createApp(context)
  const request = createClient(app, service.key)
  const bulk = (traceparent: string) =>
    request(
      'POST',
      '/v2/objects/people/records/bulk',
      { data: { filter: {}, operation: { op: 'update', values: { job_title: 'Countess' } } } },
      { headers: { traceparent } },
    )
  await request('POST', '/v2/objects/people/records', { data: { values: { name: 'Lovelace, Ada' } } })
  const { body } = await bulk(SAMPLED)
  await bulk(UNSAMPLED)
  const imports = importsOf(service, await signedIn({ ...service, app }))
  const path = await imports.begin('Company,Website\nAnalytical Engines,engines.example')
  await service.events()
  await runWorker(jobWorker([RECORD_JOBS]), context)
  const outbox = await service.db.sql<{ events: string }[]>`select events::text as events from w_1.outbox`
  await runWorker(importWorker, context)
  expect((await imports.shown(path)).state).toBe('finished')
  await traceBackgroundWork(
    tracer,
    { name: 'index build', traceparent: undefined, workspaceId: service.workspaceId, attributes: {} },
    async () => {},
  )
  const failure = traceBackgroundWork(
    tracer,
    { name: 'failing', traceparent: SAMPLED, workspaceId: service.workspaceId, attributes: {} },
    () => Promise.reject(new Error('It failed.')),
  )
  await expect(failure).rejects.toThrow('It failed.')

  const spans = await exported()
  const named = (name: string) => spans.filter((span) => span.name === name)
  const [job, ...otherJobs] = named('job')
  const [created] = named('POST /v2/objects/:object/records/bulk')
  expect(otherJobs).toEqual([])
  expect(job?.links).toEqual([{ traceId: 'a'.repeat(32), spanId: created?.spanId ?? '' }])
  expect(job).not.toHaveProperty('parentSpanId')
  expect(job && attributeOf(job, 'relata.job_id')).toBe(body.data.id.job_id)
  expect(job && attributeOf(job, 'relata.operation')).toBe('update')
  expect(outbox.filter(({ events }) => events.includes(job?.traceId ?? '?'))).toHaveLength(1)

  const [imported] = named('import')
  const begun = named('POST /console/api/workspaces/:workspace_id/imports/:import_id/start')[0]
  expect(imported?.links).toEqual([{ traceId: begun?.traceId ?? '', spanId: begun?.spanId ?? '' }])

  for (const work of [job, imported]) {
    const inside = spans.filter((span) => span.parentSpanId === work?.spanId)
    expect(inside.length).toBeGreaterThan(1)
    expect(new Set(inside.map(({ traceId }) => traceId))).toEqual(new Set([work?.traceId ?? '']))
  }
  expect(named('index build')).toMatchObject([{ kind: 1 }])
  expect(named('failing')).toMatchObject([{ status: { code: 2 } }])
  expect(JSON.stringify(spans)).not.toMatch(/Lovelace|Countess|Analytical/)
})
