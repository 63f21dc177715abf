/** Lists, reads and cancels jobs. See docs/reference/jobs.md. */

import { isUuid } from '#vocabulary/uuids'
import type { RequestContext } from '#context'
import { jobNotFound } from '#base/errors/records'
import { jobKindsOf } from '#api/jobs/job'
import { renderJob } from '#api/jobs/render'
import type { JobOutput, JobsQuery } from '#api/jobs/schemas'
import { cancelJobRow, findJobRow, type JobRow, listJobRows } from '#api/jobs/store'
import { cursorsFor } from '#engine/query/run/cursor'

export interface JobsPage {
  readonly data: JobOutput[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** Newest first. One more row than the limit shows whether another page follows. */
export async function listJobs(context: RequestContext, query: JobsQuery): Promise<JobsPage> {
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
export const getJob = async (context: RequestContext, id: string): Promise<JobOutput> =>
  render(context, await getRow(context, id))

/** Returns a job that has ended as it is. Throws 404. */
export async function cancelJob(context: RequestContext, id: string): Promise<JobOutput> {
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
