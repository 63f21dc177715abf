/** Jobs that were interrupted, by a stop, a crash or an error. See docs/decisions/jobs.md. */

import { describe, expect, test } from 'bun:test'
import { getObject } from '#engine/data-model/find'
import { captureLog } from '#testing/captured-log'
import { createTrigger } from '#testing/create-trigger'
import { RECORDS, useJobTest, UPDATE } from '#testing/jobs'
import { leaseJob, saveProgress } from './leases'
import { JOB_BATCH_SIZE } from './worker'

const { service, jobs, seed, find } = useJobTest()

describe('a job', () => {
  test('stops at the end of its batch when the service stops, and continues from there', async () => {
    await seed('stopped', 120)
    const id = await jobs.create(RECORDS, { set: 'stopped' }, UPDATE)
    const isWritten = Promise.withResolvers<void>()
    const worker = jobs.run(async () => isWritten.resolve())
    await isWritten.promise
    await worker.stop()
    const { status, done } = await jobs.show(id)
    expect(status).toBe('running')
    expect(done).toBeGreaterThan(0)
    await jobs.runAll()
    expect(await jobs.show(id)).toMatchObject({ status: 'completed', done: 120, skipped: 0 })
  })

  test.each([
    ['update', UPDATE],
    ['update after which records match no longer', { op: 'update', values: { set: 'elsewhere' } }],
    ['deletion', { op: 'delete' }],
  ])('of a dead worker is continued with each %s once', async (_, operation) => {
    const set = crypto.randomUUID()
    const ids = await seed(set, JOB_BATCH_SIZE + 20)
    const id = await jobs.create(RECORDS, { set }, operation)
    await service.events()
    await writePartOfBatch(ids.slice(0, 30), operation)
    await jobs.runAll()
    expect(await jobs.show(id)).toMatchObject({ status: 'running', done: 0 })
    service.setNow(service.appContext.now() + 61_000_000)
    await jobs.runAll()
    service.setNow()
    expect(await jobs.show(id)).toMatchObject({
      status: 'completed',
      total: ids.length,
      done: ids.length,
      failed: 0,
      skipped: 0,
    })
    const events = (await service.events()).map(({ id }) => (id as { record_id?: string }).record_id)
    expect(events.toSorted()).toEqual(ids.toSorted())
  })

  test.each(['disk_full', 'deadlock_detected', 'read_only_sql_transaction'])(
    'waits when its first statements fail with %s, and continues later',
    async (condition) => {
      await seed(condition, 3)
      const id = await jobs.create(RECORDS, { set: condition }, UPDATE)
      const { table } = getObject(await service.appContext.models.get(service.workspaceId), 'things')
      const body = `raise 'not now' using errcode = '${condition}';`
      await createTrigger(service.db, { name: condition, when: `before update on ${table}`, body })
      await captureLog(() => jobs.runAll())
      expect(await jobs.show(id)).toMatchObject({ status: 'running', done: 0 })
      await service.db.sql.unsafe(`drop function ${condition} cascade`)
      service.setNow(service.appContext.now() + 10_000_000)
      await jobs.runAll()
      service.setNow()
      expect(await jobs.show(id)).toMatchObject({ status: 'completed', done: 3, failed: 0 })
    },
  )

  test('continues after a failed statement, as long as each turn has progress', async () => {
    await seed('failing', JOB_BATCH_SIZE + 10)
    const id = await jobs.create(RECORDS, { set: 'failing' }, UPDATE)
    const { table } = getObject(await service.appContext.models.get(service.workspaceId), 'things')
    await service.db.sql`create sequence writes_of_things`
    await createTrigger(service.db, {
      name: 'full_disk',
      when: `before update on ${table}`,
      body: `if nextval('writes_of_things') = ${JOB_BATCH_SIZE + 5} then raise 'no room' using errcode = 'disk_full'; end if; return new;`,
    })
    const log = console.error
    console.error = () => {}
    await jobs.runAll()
    console.error = log
    expect(await jobs.show(id)).toMatchObject({ status: 'running', done: JOB_BATCH_SIZE })
    service.setNow(service.appContext.now() + 10_000_000)
    await jobs.runAll()
    service.setNow()
    expect(await jobs.show(id)).toMatchObject({ status: 'completed', done: JOB_BATCH_SIZE + 10, failed: 0 })
    await service.db.sql.unsafe(`drop trigger full_disk on ${table}`)
  })
})

/** Does what a process has done that is killed during its first batch: it leased the job and wrote some of the records. */
async function writePartOfBatch(written: readonly string[], operation: { op: string; values?: object }): Promise<void> {
  const { sql } = service.db
  const job = await leaseJob(service.db, service.appContext.now())
  if (job === undefined) throw new Error('No job is due.')
  const rows = await find({ set: String(Object.values(job.filter)[0]) })
  const last = rows[JOB_BATCH_SIZE - 1]
  const batch = { count: JOB_BATCH_SIZE, last: [postgresTime(last.created_at), last.id.record_id] } as const
  await saveProgress(sql, job, { ...job.progress, batch }, service.appContext.now())
  for (const id of written) {
    const path = `${RECORDS}/${id}`
    if (operation.op === 'delete') await service.request('DELETE', path)
    else await service.request('PATCH', path, { data: { values: operation.values } })
  }
}

const postgresTime = (timestamp: string): string => `${timestamp.replace('T', ' ').slice(0, 26)}+00`
