import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext, deviceOf } from '#api/console/console-context'
import { answerSignIn } from '#api/console/session/sign-in'
import { acceptInvitation, getInvitation } from './accept'
import {
  AcceptanceBody,
  AcceptedAnswer,
  InvitationBody,
  InvitationsAnswer,
  NewInvitationAnswer,
  ReceivedInvitationAnswer,
} from './schemas'
import { Done } from '#api/console/schemas'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { createInvitation, type InvitationRow, listInvitations, removeInvitation } from '#access/members/invitations'
import { languageOfEmail } from '#access/accounts/accounts'
import { findMember, findMemberByEmail, requireFreeSeat } from '#access/members/members'
import { isUuid } from '#vocabulary/uuids'
import { alreadyMember, invitationNotFound } from '#base/errors/access'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { logError } from '#base/logging/log-error'
import type { AppContext } from '#context'
import { timestampFromPostgres } from '#base/timing/clock'
import { invitationEmail, invitationUrl } from '#crm/email/account-emails'

const OF_WORKSPACE = '/console/api/workspaces/:workspace_id/invitations'
const BY_TOKEN = '/console/api/invitations/:token'

export const invitationRoutes = ({ guard, appContext, cookie }: ConsoleContext) =>
  new Elysia({ name: 'console-invitations' })
    .get(
      ...guard.admin(OF_WORKSPACE, { response: InvitationsAnswer }, async ({ member }) => ({
        data: await listWorkspaceInvitations(appContext, member),
      })),
    )
    .post(
      ...guard.admin(OF_WORKSPACE, { response: NewInvitationAnswer, body: InvitationBody }, async (input) => ({
        data: await inviteMember(appContext, input.member, input.body, auditActorOf(input)),
      })),
    )
    .delete(
      ...guard.admin(`${OF_WORKSPACE}/:invitation_id`, { response: Done }, async (input) => {
        await deleteInvitation(appContext, input.member.workspaceId, input.params.invitation_id, auditActorOf(input))
        return { data: {} }
      }),
    )
    .get(
      ...guard.anyone(BY_TOKEN, { response: ReceivedInvitationAnswer }, async ({ params }) => ({
        data: await getInvitation(appContext, params.token),
      })),
    )
    .post(
      ...guard.anyone(`${BY_TOKEN}/accept`, { response: AcceptedAnswer, body: AcceptanceBody }, async (input) => {
        const { params, body, session } = input
        const accepted = await acceptInvitation(appContext, params.token, body, session, deviceOf(input))
        const data = { workspace_id: accepted.workspaceId, workspace_member_id: accepted.memberId }
        return accepted.signIn === undefined ? { data } : answerSignIn(cookie, accepted.signIn, data)
      }),
    )

// Invites people to a workspace. An email brings the link to the invited person. Without a mail server, the admin gets it.

async function listWorkspaceInvitations({ db, now }: AppContext, { workspaceId }: ConsoleMember): Promise<object[]> {
  return (await listInvitations(db, workspaceId, now())).map(renderInvitation)
}

/** Replaces an earlier invitation of the same address. Throws 403 without a free seat, and 409 for a member who can sign in. */
async function inviteMember(
  appContext: AppContext,
  { workspaceId, memberId }: ConsoleMember,
  { email_address, access_level }: InvitationBody,
  auditActor: AuditActor,
): Promise<object> {
  const { db, now, settings } = appContext
  const { id, token } = await db.sql.begin(async (tx) => {
    const member = await findMemberByEmail(tx, workspaceId, email_address)
    if (member !== undefined && member.account_id !== null) throw alreadyMember(email_address)
    const hasSeat = member !== undefined && member.access_level !== 'suspended'
    if (!hasSeat) await requireFreeSeat(tx, workspaceId, settings.memberQuota)
    const created = await createInvitation(tx, { workspaceId, email_address, access_level, invitedBy: memberId }, now())
    const subject = { type: 'invitation', id: created.id, name: email_address }
    const details = { access_level }
    await audit(tx, { ...auditActor, workspaceId, action: 'invitation.created', subject, details, now: now() })
    return created
  })
  const invite_url = (await sendInvitation(appContext, workspaceId, memberId, email_address, token))
    ? null
    : invitationUrl(appContext.settings, token)
  const invitation = (await listInvitations(db, workspaceId, now())).find((one) => one.id === id)
  return { ...(invitation && renderInvitation(invitation)), invite_url }
}

/** Returns false when the email could not be sent, so that the admin passes the link on. */
async function sendInvitation(
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
  // A person without an account is invited in the language of the inviter.
  const language = await languageOfEmail(db, email_address, inviter?.email_address ?? email_address)
  return mail.send(invitationEmail(settings, invited, token, language)).then(
    () => true,
    (error: unknown) => {
      logError('The email with an invitation could not be sent.', error)
      return false
    },
  )
}

const nameOf = (member: { first_name: string; last_name: string } | undefined) =>
  `${member?.first_name ?? ''} ${member?.last_name ?? ''}`.trim()

/** Invalidates the link. Throws 404. */
async function deleteInvitation(
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
