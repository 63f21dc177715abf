/** Who may do what with a list is kept in the audit log, from when it is made until it is deleted. */

import { audit } from '../../access/audit'
import type { Call } from '../../call'
import type { ModelChange } from '../../data-model/change-model'
import type { ListOwner } from '../../data-model/model'

const accessOf = ({ workspace_access, workspace_member_access }: ListOwner) => ({
  workspace_access,
  workspace_member_access,
})

export const hasOtherAccess = (before: ListOwner, after: ListOwner): boolean =>
  JSON.stringify(accessOf(before)) !== JSON.stringify(accessOf(after))

/** The first settings, and the last. */
export const auditList = (call: Call, step: ModelChange, what: 'created' | 'deleted', list: ListOwner): Promise<void> =>
  append(call, step, what, list, accessOf(list))

export const auditAccess = (call: Call, step: ModelChange, before: ListOwner, after: ListOwner): Promise<void> =>
  append(call, step, 'access-changed', after, { before: accessOf(before), after: accessOf(after) })

async function append(
  call: Call,
  step: ModelChange,
  what: string,
  { id, name }: ListOwner,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await audit(step.tx, {
    actor: step.model.actors.get(call.actor) ?? null,
    workspaceId: step.model.workspace.id,
    action: `list.${what}`,
    subject: { type: 'list', id, name },
    details,
    now: call.now(),
  })
}
