/** Changes or withdraws an invitation that is not accepted yet. */

import type { Transaction } from '#db/connect'
import { audit } from '#access/audit-log/audit'
import { removeInvitation } from '#access/members/invitations'
import { immutableAttribute } from '#base/errors/protocols/scim'
import { auditActorOf, type ScimContext } from '#api/scim/scim-context'
import { splitFullName } from './names'
import { updateInvitation, type UserRow } from './store'
import type { UserChange } from './user-change'

/** Writes nothing when nothing changes. Throws 400 for another address, because the email went to this one. */
export async function changeInvitation(
  tx: Transaction,
  { workspaceId, now }: ScimContext,
  before: UserRow,
  change: UserChange,
): Promise<void> {
  const userName = change.userName ?? change.workAddress ?? before.user_name
  if (userName !== before.user_name)
    throw immutableAttribute('"userName" of an invited user does not change before the invitation is accepted.')
  const named = splitFullName(change, { givenName: before.first_name, familyName: before.last_name })
  const after = {
    first_name: named.givenName ?? before.first_name,
    last_name: named.familyName ?? before.last_name,
    external_id: change.externalId === undefined ? before.external_id : change.externalId,
    access_level: change.role ?? (before.access_level === 'admin' ? ('admin' as const) : ('member' as const)),
  }
  const isSame = Object.entries(after).every(([name, value]) => Reflect.get(before, name) === value)
  if (!isSame) await updateInvitation(tx, workspaceId, { ...after, id: before.id }, now())
}

export async function withdrawInvitation(tx: Transaction, context: ScimContext, { id, user_name }: UserRow) {
  await removeInvitation(tx, context.workspaceId, id)
  await audit(tx, {
    ...(await auditActorOf(tx, context)),
    workspaceId: context.workspaceId,
    action: 'invitation.deleted',
    subject: { type: 'invitation', id, name: user_name },
    now: context.now(),
  })
}
