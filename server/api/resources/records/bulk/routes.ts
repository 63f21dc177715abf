import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import { createJob, operationOf } from '#api/jobs/create-job'
import { bulkBody, JobAnswer } from '#api/jobs/schemas'
import { RECORD_JOBS } from './job-target'

/** See docs/reference/jobs.md. */
export const recordBulkRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'records-bulk' }).post(
    ...guard(
      '/v2/objects/:object/records/bulk',
      {
        operation: 'bulkRecords',
        summary: 'Update or delete all records that match a filter',
        description: 'Creates a job that writes the records in the background. The filter `{}` matches all records.',
        tag: 'Records',
        scopes: ['record_permission:read-write', 'object_configuration:read'],
        body: bulkBody('values'),
        usesConfiguredLimit: true,
        response: JobAnswer,
        status: 202,
      },
      async ({ context, params, body: { data } }) => {
        const { filter, operation } = data
        const { op, mode, values } = operation
        const job = { filter, operation: operationOf(op, RECORD_JOBS, { values, mode }) }
        const created = await createJob(context, RECORD_JOBS, params.object, job)
        return new JsonText(JSON.stringify({ data: created }), { status: 202 })
      },
    ),
  )
