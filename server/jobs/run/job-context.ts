/** The context in which a job writes: that of a request by its caller, with the access that the caller has now. */

import { isClientActive } from '../../access/tokens/is-client-active'
import type { ApiContext, AppContext } from '../../context'
import { makeRequestContext } from '../../http/guard/request-context'
import type { JobPlan } from '../job'

/** Ends a job. The message is a sentence for the person who created it. */
export class JobFailure extends Error {}

/** Nothing aborts a job's statements. */
const NO_REQUEST = new Request('http://job.internal/')

/** Throws `JobFailure` when the caller has no access any more, or when the entity type was deleted. */
export async function openJobContext(
  appContext: AppContext,
  { workspaceId, caller, entityTypeId, kind }: JobPlan,
): Promise<ApiContext> {
  const { actor, memberId, clientId, scopes } = caller
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
  } else if (!(await isClientActive(appContext.db, { workspaceId, clientId, memberId })))
    throw new JobFailure('The access of the app or API key that created this job was revoked.')
  // Pauses limit a job instead of the score of its queries.
  return { ...context, costLimit: undefined }
}
