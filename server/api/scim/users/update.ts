/** Updates and deletes users. See docs/reference/scim.md (Life cycle). */

import type { Transaction } from '#db/connect'
import { lockMembers } from '#access/members/members'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import { scimResourceNotFound } from '#base/errors/protocols/scim'
import { timestampFromMicros } from '#base/timing/clock'
import { inTransaction, type ScimContext } from '#api/scim/scim-context'
import { changeInvitation, withdrawInvitation } from './change-invitation'
import { changeMember } from './change-member'
import { sendWelcome } from './emails'
import { findUser, updateProviderFields, type UserRow } from './store'
import type { UserChange } from './user-change'

/** Returns undefined when the change withdraws an invitation. Throws 400, 404 and 409. */
export async function updateUser(context: ScimContext, id: string, change: UserChange): Promise<UserRow | undefined> {
  const { after, isWelcome } = await inTransaction(context, async (tx) => {
    const before = await getLockedUser(tx, context, id)
    if (before.kind === 'invitation') {
      if (change.active === false) {
        await withdrawInvitation(tx, context, before)
        return { after: undefined, isWelcome: false }
      }
      await changeInvitation(tx, context, before, change)
      return { after: await getUserIn(tx, context, id), isWelcome: false }
    }
    const changed = await changeMember(tx, context, before, change)
    return { after: await getUserIn(tx, context, id), ...changed }
  })
  if (isWelcome && after !== undefined) await sendWelcome(context, after.user_name)
  return after
}

/** Withdraws an invitation. Suspends a member, whom lists of users leave out from then on. Throws 400 and 404. */
export async function deleteUser(context: ScimContext, id: string): Promise<void> {
  await inTransaction(context, async (tx) => {
    const before = await getLockedUser(tx, context, id)
    if (before.kind === 'invitation') return withdrawInvitation(tx, context, before)
    if (before.is_deleted) return
    await changeMember(tx, context, before, { active: false })
    const at = timestampFromMicros(context.now())
    await updateProviderFields(tx, context.workspaceId, before.id, { user_deleted_at: at, updated_at: at })
  })
}

async function getLockedUser(tx: Transaction, context: ScimContext, id: string): Promise<UserRow> {
  await lockMembers(tx, context.workspaceId)
  return getUserIn(tx, context, id)
}

async function getUserIn(tx: Transaction, context: ScimContext, id: string): Promise<UserRow> {
  const user = isUuid(id) ? await findUser(tx, context, id) : undefined
  if (user === undefined) throw scimResourceNotFound('User', id)
  return user
}
