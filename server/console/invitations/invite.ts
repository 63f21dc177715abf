/** Inviting people into a workspace, as its admins do. The link goes to whom it is for; without mail, to the admin. */

import { audit, type AuditActor } from '../../access/audit-log/audit'
import {
  createInvitation,
  type InvitationRow,
  listInvitations,
  removeInvitation,
} from '../../access/members/invitations'
import { findMember, findMemberByEmail } from '../../access/members/members'
import { isUuid } from '../../attribute-types/formats/uuids'
import { alreadyMember, invitationNotFound } from '../../errors/errors'
import type { ConsoleMember } from '../../http/guard/session-guard'
import { logError } from '../../logging/log-error'
import type { AppContext } from '../../platform'
import { timestampFromPostgres } from '../../timing/clock'
import { invitationEmail, invitationUrl } from '../../email/account-emails'
import type { InvitationBody } from './schemas'

export async function listWorkspaceInvitations({ db }: AppContext, { workspaceId }: ConsoleMember): Promise<object[]> {
  return (await listInvitations(db, workspaceId)).map(renderInvitation)
}

/** Replaces an earlier invitation of the same address. Throws 409 for a member who can sign in already. */
export async function inviteMember(
  appContext: AppContext,
  { workspaceId, memberId }: ConsoleMember,
  { email_address, access_level }: InvitationBody,
  auditActor: AuditActor,
): Promise<object> {
  const { db, now } = appContext
  const { id, token } = await db.sql.begin(async (tx) => {
    const member = await findMemberByEmail(tx, workspaceId, email_address)
    if (member !== undefined && member.account_id !== null) throw alreadyMember(email_address)
    const made = await createInvitation(tx, { workspaceId, email_address, access_level, invitedBy: memberId }, now())
    const subject = { type: 'invitation', id: made.id, name: email_address }
    const details = { access_level }
    await audit(tx, { ...auditActor, workspaceId, action: 'invitation.created', subject, details, now: now() })
    return made
  })
  const invite_url = (await deliver(appContext, workspaceId, memberId, email_address, token))
    ? null
    : invitationUrl(appContext.settings, token)
  const invitation = (await listInvitations(db, workspaceId)).find((one) => one.id === id)
  return { ...(invitation && renderInvitation(invitation)), invite_url }
}

/** Whether the letter is on its way; when it cannot be, the admin hands over the link. */
async function deliver(
  { db, mail, models, settings }: AppContext,
  workspaceId: string,
  inviterId: string,
  email_address: string,
  token: string,
): Promise<boolean> {
  if (!mail.isDelivered) return false
  const inviter = await findMember(db, workspaceId, inviterId)
  const { workspace } = await models.get(workspaceId)
  const invited = { email_address, workspace_name: workspace.name, inviter: nameOf(inviter) }
  return mail.send(invitationEmail(settings, invited, token)).then(
    () => true,
    (error: unknown) => {
      logError('The invitation could not be mailed.', error)
      return false
    },
  )
}

const nameOf = (member: { first_name: string; last_name: string } | undefined) =>
  `${member?.first_name ?? ''} ${member?.last_name ?? ''}`.trim()

/** Its link ends. Throws 404. */
export async function deleteInvitation(
  { db, now }: AppContext,
  workspaceId: string,
  id: string,
  auditActor: AuditActor,
): Promise<void> {
  if (!isUuid(id)) throw invitationNotFound(id)
  await db.sql.begin(async (tx) => {
    const removed = await removeInvitation(tx, workspaceId, id)
    if (removed === undefined) throw invitationNotFound(id)
    const subject = { type: 'invitation', id: removed.id, name: removed.email_address }
    await audit(tx, { ...auditActor, workspaceId, action: 'invitation.deleted', subject, now: now() })
  })
}

const renderInvitation = ({ workspace_id: _, ...invitation }: InvitationRow) => ({
  ...invitation,
  created_at: timestampFromPostgres(invitation.created_at),
  expires_at: timestampFromPostgres(invitation.expires_at),
})
