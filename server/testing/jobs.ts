/** Creates, runs and reads jobs of a test service. */

import { startJobWorker } from '../jobs/run/worker'
import { ENTRY_JOBS } from '../resources/entries/bulk/job-target'
import { RECORD_JOBS } from '../resources/records/bulk/job-target'
import type { Answer } from './client'
import type { TestService } from './service'

export function jobsOf(service: TestService, key?: string) {
  const options = key === undefined ? {} : { key }
  /** Starts a worker whose pauses are `pause`. */
  const run = (pause = async (_ms: number): Promise<void> => {}) =>
    startJobWorker({ appContext: service.appContext, targets: [RECORD_JOBS, ENTRY_JOBS], pause })

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
