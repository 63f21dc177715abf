/** Jobs that are cancelled. See docs/decisions/jobs.md. */

import { describe, expect, test } from 'bun:test'
import { RECORDS, useJobTest, UPDATE } from '#testing/jobs'
import { leaseJob } from './leases'
import { JOB_BATCH_SIZE } from './worker'

const { service, jobs, seed, find, actAfter } = useJobTest()

describe('a job', () => {
  test('that is cancelled stops at the end of its batch and stays as it is', async () => {
    await seed('cancelled', 2 * JOB_BATCH_SIZE + 20)
    const id = await jobs.create(RECORDS, { set: 'cancelled' }, UPDATE)
    await actAfter(1, () => service.request('POST', `/v2/jobs/${id}/cancel`))
    expect(await jobs.show(id)).toMatchObject({
      status: 'cancelled',
      done: JOB_BATCH_SIZE,
      failed: 0,
      ended_at: expect.any(String),
    })
    expect(await find({ set: 'cancelled', note: 'new' })).toHaveLength(JOB_BATCH_SIZE)
    const again = await service.request('POST', `/v2/jobs/${id}/cancel`)
    expect([again.status, again.body.data.status]).toEqual([200, 'cancelled'])
  })

  test('that is cancelled during a batch has its counts when it has ended', async () => {
    await seed('cancelled late', JOB_BATCH_SIZE + 10)
    const id = await jobs.create(RECORDS, { set: 'cancelled late' }, UPDATE)
    expect((await leaseJob(service.db, service.appContext.now()))?.id).toBe(id)
    const { body } = await service.request('POST', `/v2/jobs/${id}/cancel`)
    expect(body.data).toMatchObject({ status: 'cancelled', ended_at: null })
    // The lease ends, because the process that has it does not renew it.
    service.setNow(service.appContext.now() + 61_000_000)
    await jobs.runAll()
    service.setNow()
    expect(await jobs.show(id)).toMatchObject({ status: 'cancelled', done: 0, ended_at: expect.any(String) })
    expect(await find({ note: 'new', set: 'cancelled late' })).toEqual([])
  })

  test('that is cancelled before it runs writes nothing', async () => {
    await seed('unstarted', 2)
    const id = await jobs.create(RECORDS, { set: 'unstarted' }, UPDATE)
    await service.request('POST', `/v2/jobs/${id}/cancel`)
    await jobs.runAll()
    expect(await jobs.show(id)).toMatchObject({ status: 'cancelled', done: 0 })
    expect(await find({ note: 'new', set: 'unstarted' })).toEqual([])
  })
})
