/** Creates, runs and reads jobs of a test service, and starts a service with an object for tests of jobs. */

import { beforeAll, expect } from 'bun:test'
import { jobWorker } from '#api/jobs/run/worker'
import { ENTRIES } from '#api/resources/entries/resource'
import { ACTIVITY_RECORDS } from '#api/resources/activity-records/resource'
import { RECORD_JOBS } from '#api/resources/records/resource'
import { recordIdOf } from './answer-shapes'
import { attributeInput } from './attributes'
import type { Answer } from './client'
import type { TestService } from './service'
import { useTestService } from './use-service'

export function jobsOf(service: TestService, key?: string) {
  const options = key === undefined ? {} : { key }
  /** Starts a worker whose pauses are `pause`. */
  const run = (pause = async (_ms: number): Promise<void> => {}) =>
    jobWorker([RECORD_JOBS, { entities: ENTRIES }, { entities: ACTIVITY_RECORDS }], pause).start(service.appContext)

  const show = async (id: string): Promise<Answer['body']> =>
    (await service.request('GET', `/v2/jobs/${id}`, undefined, options)).body.data

  const create = async (path: string, filter: object, operation: object): Promise<string> => {
    const { status, body } = await service.request('POST', `${path}/bulk`, { data: { filter, operation } }, options)
    if (status !== 202) throw new Error(`POST ${path}/bulk: ${status} ${JSON.stringify(body)}`)
    return body.data.id.job_id
  }

  const runAll = async (): Promise<void> => {
    const worker = run()
    await worker.settled()
    await worker.stop()
  }
  return {
    run,
    show,
    create,
    /** Runs all jobs to their end. */
    runAll,
    /** Creates a job, runs it, and returns it. */
    async complete(path: string, filter: object, operation: object): Promise<Answer['body']> {
      const id = await create(path, filter, operation)
      await runAll()
      return show(id)
    },
  }
}

export const RECORDS = '/v2/objects/things/records'

/** The operation of a job that writes a note. */
export const UPDATE = { op: 'update', values: { note: 'new' } }

interface JobTest {
  readonly service: TestService
  readonly jobs: ReturnType<typeof jobsOf>
  /** Creates an object with the attributes `set` and `note`. `things` is the first one. */
  makeObject(slug: string): Promise<void>
  /** Creates records with this value of `set`. Returns their ids. */
  seed(set: string, count: number, path?: string): Promise<string[]>
  find(filter: object, path?: string): Promise<Answer['body']>
  /** Runs jobs until the pause after the given number of batches, in which it calls `act`. Then runs them to their end. */
  actAfter(batches: number, act: () => Promise<unknown>): Promise<void>
}

/** Starts a service with the object `things` before the tests of a file, and closes it after them. */
export function useJobTest(): JobTest {
  const service = useTestService()
  const jobs = jobsOf(service)

  async function makeObject(slug: string): Promise<void> {
    const data = { api_slug: slug, singular_noun: slug, plural_noun: `${slug}s` }
    expect((await service.request('POST', '/v2/objects', { data })).status).toBe(200)
    for (const api_slug of ['set', 'note']) {
      const attribute = attributeInput({ api_slug })
      expect((await service.request('POST', `/v2/objects/${slug}/attributes`, { data: attribute })).status).toBe(200)
    }
  }

  async function seed(set: string, count: number, path = RECORDS): Promise<string[]> {
    const operations = Array.from({ length: count }, () => ({ op: 'create', values: { set } }))
    const { body } = await service.request('POST', `${path}/batch?return=ids`, { data: { operations } })
    expect(body.data.failed).toBe(0)
    return body.data.results.map(recordIdOf)
  }

  async function actAfter(batches: number, act: () => Promise<unknown>): Promise<void> {
    let count = 0
    const worker = jobs.run(async () => {
      if (++count === batches) await act()
    })
    await worker.settled()
    await worker.stop()
  }

  beforeAll(() => makeObject('things'))
  return {
    service,
    jobs,
    makeObject,
    seed,
    find: async (filter, path = RECORDS) => (await service.request('POST', `${path}/query`, { filter })).body.data,
    actAfter,
  }
}
