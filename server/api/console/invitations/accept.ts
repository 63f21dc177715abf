/** Accepts an invitation with the signed-in account, with the account's password, or with a new account. */

import type { Transaction } from '#db/connect'
import { createAccount, findAccountByEmail } from '#access/accounts/accounts'
import { audit } from '#access/audit-log/audit'
import { endAcceptedInvitation, findInvitation, type InvitationRow } from '#access/members/invitations'
import {
  findMember,
  findMemberByEmail,
  insertMember,
  linkAccount,
  lockMembers,
  requireSeat,
} from '#access/members/members'
import { passwordIssues } from '#access/accounts/passwords'
import { BY_PASSWORD, type Device } from '#access/sessions/sessions'
import { notifyModelChange } from '#engine/data-model/change-model'
import { alreadyMember, linkExpired } from '#base/errors/access'
import { invalidBody } from '#base/errors/http'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { timestampFromPostgres } from '#base/timing/clock'
import { verifyCredentials } from '#api/console/session/credentials'
import { completeFirstStep, type SignInResult } from '#api/console/session/session'
import type { AcceptanceBody } from './schemas'

/** Returns what the page of an invitation shows. Throws 404. */
export async function getInvitation({ db, models, now }: AppContext, token: string): Promise<object> {
  const invitation = await findInvitation(db.sql, token, now())
  if (invitation === undefined) throw linkExpired()
  const { workspace_id, email_address, access_level } = invitation
  const { workspace } = await models.get(workspace_id)
  const inviter = await findMember(db, workspace_id, invitation.invited_by_workspace_member_id)
  return {
    workspace: { id: workspace_id, name: workspace.name, slug: workspace.slug, logo_url: workspace.logo_url },
    email_address,
    access_level,
    invited_by: { first_name: inviter?.first_name ?? '', last_name: inviter?.last_name ?? '' },
    has_account: (await findAccountByEmail(db, email_address)) !== undefined,
    expires_at: timestampFromPostgres(invitation.expires_at),
  }
}

export interface Accepted {
  readonly workspaceId: string
  readonly memberId: string
  /** Undefined when the account was signed in already. */
  readonly signIn: SignInResult | undefined
}

/** Throws 404 for the link, 401 for a wrong password, 400 for a refused or missing one, 403 without a free seat, 409 for a member. */
export async function acceptInvitation(
  appContext: AppContext,
  token: string,
  body: AcceptanceBody,
  session: ConsoleSession | undefined,
  device: Device,
): Promise<Accepted> {
  const { db, now } = appContext
  const invitation = await findInvitation(db.sql, token, now())
  if (invitation === undefined) throw linkExpired()
  const { email_address } = invitation
  const existingId = await findOwnAccount(appContext, email_address, body.password, session, device)
  const joined = await db.sql.begin(async (tx) => {
    await lockMembers(tx, invitation.workspace_id)
    if ((await findInvitation(tx, token, now(), 'lock')) === undefined) throw linkExpired()
    const account = { email_address, password: body.password ?? '' }
    const accountId = existingId ?? (await createAccount({ sql: tx }, account, now())).id
    const memberId = await join(tx, appContext, { invitation, body, accountId }, device.address)
    return { accountId, memberId }
  })
  const isSignedIn = isSessionOf(session, joined.accountId)
  const account = { accountId: joined.accountId, emailAddress: email_address.toLowerCase() }
  return {
    workspaceId: invitation.workspace_id,
    memberId: joined.memberId,
    signIn: isSignedIn ? undefined : await completeFirstStep(appContext, account, BY_PASSWORD, device),
  }
}

/**
 * Returns the account of this address after it is authenticated. Returns undefined when no account exists and the password
 * is accepted for a new one.
 */
async function findOwnAccount(
  appContext: AppContext,
  email_address: string,
  password: string | undefined,
  session: ConsoleSession | undefined,
  device: Device,
): Promise<string | undefined> {
  const accountId = await findAccountByEmail(appContext.db, email_address)
  if (accountId !== undefined && isSessionOf(session, accountId)) return accountId
  if (password === undefined) {
    const message = 'Required'
    throw invalidBody([
      { code: 'invalid_type', path: ['password'], message, expected: 'string', received: 'undefined' },
    ])
  }
  if (accountId !== undefined) return (await verifyCredentials(appContext, { email_address, password }, device)).id
  const issues = passwordIssues(password, email_address, 'password')
  if (issues.length > 0) throw invalidBody(issues)
  return undefined
}

/** A session from the provider of a workspace does not act for the account in other workspaces. */
const isSessionOf = (session: ConsoleSession | undefined, accountId: string): boolean =>
  session?.accountId === accountId && session.workspaceId === null

interface Acceptance {
  readonly invitation: InvitationRow
  readonly body: AcceptanceBody
  readonly accountId: string
}

/** A member without an account remains the same member and gets the account. */
async function join(
  tx: Transaction,
  { now, settings }: AppContext,
  { invitation, body, accountId: account_id }: Acceptance,
  address: string | null,
): Promise<string> {
  const { workspace_id: workspaceId, id: invitationId, email_address, access_level } = invitation
  const { first_name, last_name } = body
  const existing = await findMemberByEmail(tx, workspaceId, email_address)
  if (existing !== undefined && existing.account_id !== null) throw alreadyMember(email_address)
  const member = { first_name, last_name, email_address, access_level, account_id }
  const id = existing?.id ?? (await insertMember(tx, workspaceId, member, now()))
  if (existing !== undefined) {
    await linkAccount(tx, workspaceId, id, member, now())
    await notifyModelChange(tx, workspaceId)
  }
  await requireSeat(tx, workspaceId, settings.memberQuota)
  await endAcceptedInvitation(tx, invitation, id)
  const actor = { type: 'workspace-member', id }
  const subject = { type: 'invitation', id: invitationId, name: email_address }
  const details = { access_level }
  await audit(tx, { actor, address, workspaceId, action: 'invitation.accepted', subject, details, now: now() })
  return id
}
