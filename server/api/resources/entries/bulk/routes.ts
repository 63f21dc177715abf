import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import { createJob, operationOf } from '#api/jobs/create-job'
import { bulkBody, JobAnswer } from '#api/jobs/schemas'
import { ENTRY_JOBS } from './job-target'

/** See docs/reference/jobs.md. */
export const entryBulkRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'entries-bulk' }).post(
    ...guard(
      '/v2/lists/:list/entries/bulk',
      {
        operation: 'bulkEntries',
        summary: 'Update or delete all entries that match a filter',
        description: 'Creates a job that writes the entries in the background. The filter `{}` matches all entries.',
        tag: 'Entries',
        scopes: ['list_entry:read-write', 'list_configuration:read'],
        body: bulkBody('entry_values'),
        usesConfiguredLimit: true,
        response: JobAnswer,
        status: 202,
      },
      async ({ context, params, body: { data } }) => {
        const { filter, operation } = data
        const { op, mode, entry_values: values } = operation
        const job = { filter, operation: operationOf(op, ENTRY_JOBS, { values, mode }) }
        const created = await createJob(context, ENTRY_JOBS, params.list, job)
        return new JsonText(JSON.stringify({ data: created }), { status: 202 })
      },
    ),
  )
