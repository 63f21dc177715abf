/** Writes changes of the access to a list to the audit log, also its creation and deletion. */

import { audit } from '#access/audit-log/audit'
import type { RequestContext } from '#context'
import type { ModelChange } from '#engine/data-model/change-model'
import type { ListType } from '#engine/data-model/model'

const accessOf = ({ workspace_access, workspace_member_access }: ListType) => ({
  workspace_access,
  workspace_member_access,
})

export const hasOtherAccess = (before: ListType, after: ListType): boolean =>
  JSON.stringify(accessOf(before)) !== JSON.stringify(accessOf(after))

/** Writes the creation of a list with its first settings, or its deletion with its last settings. */
export const auditList = (
  context: RequestContext,
  step: ModelChange,
  what: 'created' | 'deleted',
  list: ListType,
): Promise<void> => append(context, step, what, list, accessOf(list))

export const auditAccess = (
  context: RequestContext,
  step: ModelChange,
  before: ListType,
  after: ListType,
): Promise<void> => append(context, step, 'access-changed', after, { before: accessOf(before), after: accessOf(after) })

async function append(
  context: RequestContext,
  step: ModelChange,
  what: string,
  { id, name }: ListType,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await audit(step.tx, {
    actor: step.model.actors.get(context.actor) ?? null,
    workspaceId: step.model.workspace.id,
    action: `list.${what}`,
    subject: { type: 'list', id, name },
    details,
    now: context.now(),
  })
}
