/** Who may do what with a list is kept in the audit log whenever it changes. */

import { audit } from '../../access/audit'
import type { Call } from '../../call'
import type { ModelChange } from '../../data-model/change'
import type { ListOwner } from '../../data-model/model'

const accessOf = ({ workspace_access, workspace_member_access }: ListOwner) => ({
  workspace_access,
  workspace_member_access,
})

export const hasOtherAccess = (before: ListOwner, after: ListOwner): boolean =>
  JSON.stringify(accessOf(before)) !== JSON.stringify(accessOf(after))

export async function auditAccess(call: Call, step: ModelChange, before: ListOwner, after: ListOwner): Promise<void> {
  await audit(step.tx, {
    actor: step.model.actors.get(call.actor) ?? null,
    workspaceId: step.model.workspace.id,
    action: 'list.access-changed',
    subject: { type: 'list', id: after.id, name: after.name },
    details: { before: accessOf(before), after: accessOf(after) },
    now: call.now(),
  })
}
