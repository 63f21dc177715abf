/** The batches and turns of jobs, and when they are deleted. See docs/decisions/jobs.md. */

import { describe, expect, test } from 'bun:test'
import { jobsOf, RECORDS, useJobTest, UPDATE } from '#testing/jobs'
import { runWorker } from '#testing/workers'
import { RECORD_JOBS } from '#api/resources/records/resource'
import type { JobTarget } from '#api/jobs/job'
import { deleteEndedJobs, JOB_BATCH_SIZE, jobWorker } from './worker'

const { service, jobs, makeObject, seed, find } = useJobTest()

describe('a job', () => {
  test('writes batches of at most 100', async () => {
    await seed('batches', 2 * JOB_BATCH_SIZE + 1)
    const id = await jobs.create(RECORDS, { set: 'batches' }, UPDATE)
    const counts: number[] = []
    const worker = jobs.run(async () => {
      counts.push((await find({ note: 'new', set: 'batches' })).length)
    })
    await worker.settled()
    await worker.stop()
    expect(counts).toEqual([100, 200, 201])
    expect(await jobs.show(id)).toMatchObject({ status: 'completed', done: 201 })
  })

  test('pauses for as long as a batch took if requests arrived meanwhile', async () => {
    await seed('pauses', 2 * JOB_BATCH_SIZE)
    const id = await jobs.create(RECORDS, { set: 'pauses' }, UPDATE)
    const pauses: number[] = []
    const { appContext } = service
    const target: JobTarget = {
      ...RECORD_JOBS,
      entities: {
        ...RECORD_JOBS.entities,
        find(...path) {
          if (pauses.length === 1) appContext.requests.add()
          return RECORD_JOBS.entities.find(...path)
        },
      },
    }
    await runWorker(
      jobWorker([target], async (ms) => void pauses.push(ms)),
      appContext,
    )
    expect(await jobs.show(id)).toMatchObject({ status: 'completed' })
    expect(pauses.map((ms) => ms > 0)).toEqual([false, true])
  })

  test('that is long lets another one run after its turn of 10 batches', async () => {
    await makeObject('many')
    const many = '/v2/objects/many/records'
    await seed('long', 1000, many)
    await seed('long', 30, many)
    await seed('short', 1)
    const long = await jobs.create(many, {}, UPDATE)
    const short = await jobs.create(RECORDS, { set: 'short' }, UPDATE)
    let doneOfLong = 0
    const worker = jobs.run(async () => {
      if ((await jobs.show(short)).status === 'running') doneOfLong = (await find({ note: 'new' }, many)).length
    })
    await worker.settled()
    await worker.stop()
    expect(doneOfLong).toBe(500)
    expect(await jobs.show(short)).toMatchObject({ status: 'completed', done: 1 })
    expect(await jobs.show(long)).toMatchObject({ status: 'completed', done: 1030 })
  }, 300_000)

  test('of a workspace lets those of other workspaces run before another one of its own', async () => {
    const other = await service.anotherWorkspace()
    const people = '/v2/objects/people/records'
    const none = { name: 'nobody has this name' }
    const create = () => jobs.create(people, none, { op: 'delete' })
    const [first, second, third] = [await create(), await create(), await create()]
    const ofOther = await jobsOf(service, other.key).create(people, none, { op: 'delete' })
    await jobs.runAll()
    const ended = await service.db.sql<{ id: string }[]>`
      select id from relata.jobs where id = any(${[first, second, third, ofOther]}::uuid[]) order by ended_at`
    expect(ended.map(({ id }) => id)).toEqual([first, ofOther, second, third])
  })
})

test('two workers share the jobs, each one run by one of them', async () => {
  await seed('shared 1', JOB_BATCH_SIZE + 10)
  await seed('shared 2', JOB_BATCH_SIZE + 10)
  await service.events()
  const ids = [
    await jobs.create(RECORDS, { set: 'shared 1' }, UPDATE),
    await jobs.create(RECORDS, { set: 'shared 2' }, UPDATE),
  ]
  const workers = [jobs.run(), jobs.run()]
  await Promise.all(workers.map((worker) => worker.settled()))
  await Promise.all(workers.map((worker) => worker.stop()))
  await jobs.runAll()
  for (const id of ids) expect(await jobs.show(id)).toMatchObject({ status: 'completed', done: JOB_BATCH_SIZE + 10 })
  expect(await service.events()).toHaveLength(2 * JOB_BATCH_SIZE + 20)
})

test('a job is deleted thirty days after its end', async () => {
  await seed('old', 1)
  const { id } = { id: await jobs.create(RECORDS, { set: 'old' }, UPDATE) }
  const DAY = 86_400_000_000
  const isLeft = async () => (await service.request('GET', `/v2/jobs/${id}`)).status === 200
  const now = service.appContext.now()
  await deleteEndedJobs(service.db, now + DAY, 1000)
  expect(await isLeft()).toBe(true)
  await jobs.runAll()
  await deleteEndedJobs(service.db, now, 1000)
  expect(await isLeft()).toBe(true)
  await deleteEndedJobs(service.db, now + DAY, 1000)
  expect(await isLeft()).toBe(false)
})
