import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { JOB_SCOPES } from '#api/jobs/job'
import { JobAnswer, JobsAnswer, JobsQuery } from '#api/jobs/schemas'
import { cancelJob, getJob, listJobs } from './jobs'

const tag = 'Jobs'
const ofAnyKind = { scopes: JOB_SCOPES.object, otherScopes: [JOB_SCOPES.list, JOB_SCOPES.activity] }

/** See docs/reference/jobs.md. */
export const jobRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'jobs' })
    .get(
      ...guard(
        '/v2/jobs',
        {
          operation: 'listJobs',
          summary: 'List jobs',
          description: 'Those of the caller, newest first. An admin at the console sees those of all callers.',
          tag,
          ...ofAnyKind,
          query: JobsQuery,
          response: JobsAnswer,
        },
        ({ context, query }) => listJobs(context, query),
      ),
    )
    .get(
      ...guard(
        '/v2/jobs/:job_id',
        { operation: 'getJob', summary: 'Get a job', tag, ...ofAnyKind, response: JobAnswer },
        async ({ context, params }) => ({ data: await getJob(context, params.job_id) }),
      ),
    )
    .post(
      ...guard(
        '/v2/jobs/:job_id/cancel',
        {
          operation: 'cancelJob',
          summary: 'Cancel a job',
          description: 'The job ends after its present batch. What was written stays written.',
          tag,
          ...ofAnyKind,
          response: JobAnswer,
        },
        async ({ context, params }) => ({ data: await cancelJob(context, params.job_id) }),
      ),
    )
