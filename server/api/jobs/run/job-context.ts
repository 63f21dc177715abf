/** The context in which a job writes: that of a request by its caller, with the access that the caller has now. */

import { findClientScopes } from '#access/tokens/client-scopes'
import type { ApiContext, AppContext } from '#context'
import { makeRequestContext } from '#api/http/guard/request-context'
import { commonScopes, type Scope } from '#vocabulary/scopes'
import { jobKindsOf, type JobCaller, type JobPlan } from '#api/jobs/job'

/** Ends a job. The message is a sentence for the person who created it. */
export class JobFailure extends Error {}

/** Nothing aborts a job's statements. */
const NO_REQUEST = new Request('http://job.internal/')

/** Throws `JobFailure` when the caller has no access any more, or when the entity type was deleted. */
export async function openJobContext(
  appContext: AppContext,
  { workspaceId, caller, entityTypeId, kind }: JobPlan,
): Promise<ApiContext> {
  const { actor, memberId, clientId } = caller
  const scopes = await presentScopes(appContext, workspaceId, caller)
  if (!jobKindsOf(scopes).includes(kind))
    throw new JobFailure('The app or API key that created this job may not do any more what the job does.')
  const request = { key: '', limited: false, workspaceId, actor, authorizedBy: memberId, scopes }
  const context = await makeRequestContext(
    appContext,
    clientId === undefined ? request : { ...request, clientId },
    NO_REQUEST,
  )
  const { model } = context
  if (!model.entityTypesById.has(entityTypeId)) throw new JobFailure(`The ${kind} was deleted.`)
  if (clientId === undefined) {
    const member = model.membersById.get(memberId)
    if (member === undefined || member.access_level === 'suspended')
      throw new JobFailure('The person who created this job is no longer a member of the workspace.')
  }
  // Pauses limit a job instead of the score of its queries.
  return { ...context, costLimit: undefined }
}

/** Those of the request that created the job, as far as the caller still has them. */
async function presentScopes(
  { db }: AppContext,
  workspaceId: string,
  { clientId, memberId, scopes }: JobCaller,
): Promise<ReadonlySet<Scope>> {
  if (clientId === undefined) return scopes
  const present = await findClientScopes(db, { workspaceId, clientId, memberId })
  if (present === undefined) throw new JobFailure('The access of the app or API key that created this job was revoked.')
  return commonScopes(scopes, present)
}
