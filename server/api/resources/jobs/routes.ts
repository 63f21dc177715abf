import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { JOB_SCOPES, jobKindsOf } from '#api/jobs/job'
import { JobAnswer, JobsAnswer, JobsQuery, type JobOutput } from '#api/jobs/schemas'
import { isUuid } from '#vocabulary/uuids'
import type { RequestContext } from '#context'
import { jobNotFound } from '#base/errors/records'
import { JsonText } from '#api/http/response/answer'
import { undoJob } from '#api/jobs/create-job'
import { cancelJobRow, findJobRow, type JobRow, listJobRows, renderJob } from '#api/jobs/store'
import { cursorsFor } from '#engine/query/run/cursor'

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
          showsWork: true,
          query: JobsQuery,
          response: JobsAnswer,
        },
        ({ context, query }) => listJobs(context, query),
      ),
    )
    .get(
      ...guard(
        '/v2/jobs/:job_id',
        { operation: 'getJob', summary: 'Get a job', tag, ...ofAnyKind, showsWork: true, response: JobAnswer },
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
    .post(
      ...guard(
        '/v2/jobs/:job_id/undo',
        {
          operation: 'undoJob',
          summary: 'Undo an update of records or entries',
          description: 'Creates a job that puts the earlier values back. Values that were changed since stay.',
          tag,
          ...ofAnyKind,
          response: JobAnswer,
          status: 202,
        },
        async ({ context, params }) => {
          const data = await undoJob(context, await getRow(context, params.job_id))
          return new JsonText(JSON.stringify({ data }), { status: 202 })
        },
      ),
    )

// Lists, reads and cancels jobs. See docs/reference/jobs.md.

interface JobsPage {
  readonly data: JobOutput[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** Newest first. One more row than the limit shows whether another page follows. */
async function listJobs(context: RequestContext, query: JobsQuery): Promise<JobsPage> {
  const { limit = 50, cursor } = query
  const cursors = await cursorsFor(context, { id: 'jobs' }, query)
  const after = cursor === undefined ? undefined : cursors.decode(cursor)
  const rows = await listJobRows(context, jobKindsOf(context.scopes), {
    limit: limit + 1,
    after: after && [String(after[0]), String(after[1])],
  })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next_cursor = last && rows.length > limit ? cursors.encode([last.created_at, last.id]) : null
  return { data: page.map((row) => render(context, row)), pagination: { next_cursor } }
}

/** Throws 404. */
const getJob = async (context: RequestContext, id: string): Promise<JobOutput> =>
  render(context, await getRow(context, id))

/** Returns a job that has ended as it is. Throws 404. */
async function cancelJob(context: RequestContext, id: string): Promise<JobOutput> {
  const { id: found } = await getRow(context, id)
  await cancelJobRow(context, found, context.now())
  return render(context, await getRow(context, id))
}

async function getRow(context: RequestContext, id: string): Promise<JobRow> {
  const row = isUuid(id) ? await findJobRow(context, jobKindsOf(context.scopes), id.toLowerCase()) : undefined
  if (row === undefined) throw jobNotFound(id)
  return row
}

const render = ({ model }: RequestContext, row: JobRow): JobOutput => renderJob(model.workspace.id, row)
