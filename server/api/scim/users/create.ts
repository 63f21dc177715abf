/**
 * Creates a user: a member when the address is on a verified domain, otherwise an invitation.
 * See docs/reference/scim.md (Life cycle).
 */

import type { Transaction } from '#db/connect'
import { audit } from '#access/audit-log/audit'
import { areOnVerifiedDomains } from '#access/domains/domains'
import { createInvitation } from '#access/members/invitations'
import { insertMember, lockMembers, requireFreeSeat, requireSeat } from '#access/members/members'
import { notifyModelChange } from '#engine/data-model/change-model'
import { invalidScimValue, userExists } from '#base/errors/protocols/scim'
import { scimAuditActorOf, inTransaction, type ScimContext } from '#api/scim/scim-context'
import { sendInvitation, sendWelcome, splitFullName, type UserChange } from './user-change'
import { accountFor, changeMember } from './change-member'
import { findUserByName, updateProviderFields, type UserRow } from './store'

interface Created {
  readonly user: UserRow
  /** Undefined when no email is to be sent. The token is that of an invitation. */
  readonly email?: { readonly kind: 'welcome' } | { readonly kind: 'invitation'; readonly token: string }
}

/** Throws 400, 403 without a free seat, and 409 when the address has a user. */
export async function createUser(context: ScimContext, input: UserChange): Promise<UserRow> {
  const { userName } = input
  if (userName === undefined) throw invalidScimValue('"userName" is required.')
  const user = { ...splitFullName(input), userName }
  const { user: created, email } = await inTransaction(context, (tx) => createIn(tx, context, user))
  if (email?.kind === 'welcome') await sendWelcome(context, userName)
  if (email?.kind === 'invitation') await sendInvitation(context, userName, email.token)
  return created
}

type NewUser = UserChange & { readonly userName: string }

async function createIn(tx: Transaction, context: ScimContext, input: NewUser): Promise<Created> {
  const { workspaceId } = context
  const { userName } = input
  await lockMembers(tx, workspaceId)
  const existing = await findUserByName(tx, context, userName)
  // A deleted user does not conflict with a new one. RFC 7644, 3.6.
  if (existing?.is_deleted) return restore(tx, context, existing, input)
  if (existing !== undefined) throw userExists(userName)
  const isVerified = await areOnVerifiedDomains(tx, workspaceId, [userName])
  if (isVerified) return input.active === false ? createSuspended(tx, context, input) : createActive(tx, context, input)
  if (input.active === false)
    throw invalidScimValue('A user with "active" false can be created only on a verified domain.')
  return invite(tx, context, input)
}

async function restore(tx: Transaction, context: ScimContext, existing: UserRow, input: NewUser): Promise<Created> {
  await changeMember(tx, context, existing, { ...input, active: input.active ?? true, role: input.role ?? 'member' })
  await updateProviderFields(tx, context.workspaceId, existing.id, { user_deleted_at: null })
  return { user: await read(tx, context, input.userName) }
}

async function createActive(tx: Transaction, context: ScimContext, input: NewUser): Promise<Created> {
  const account_id = await accountFor(tx, context, input.userName)
  await createMember(tx, context, input, { account_id, access_level: input.role ?? 'member' })
  await requireSeat(tx, context.workspaceId, context.appContext.settings.memberQuota)
  return { user: await read(tx, context, input.userName), email: { kind: 'welcome' } }
}

/** A suspended member gets an account with the activation, which also causes the change event. */
async function createSuspended(tx: Transaction, context: ScimContext, input: NewUser): Promise<Created> {
  await createMember(tx, context, input, { account_id: null, access_level: 'suspended' })
  return { user: await read(tx, context, input.userName) }
}

async function createMember(
  tx: Transaction,
  context: ScimContext,
  input: NewUser,
  access: { readonly account_id: string | null; readonly access_level: 'admin' | 'member' | 'suspended' },
): Promise<void> {
  const { workspaceId, now } = context
  const { userName: email_address, givenName: first_name = '', familyName: last_name = '' } = input
  const id = await insertMember(tx, workspaceId, { first_name, last_name, email_address, ...access }, now())
  const isSuspended = access.access_level === 'suspended'
  await updateProviderFields(tx, workspaceId, id, {
    external_id: input.externalId ?? null,
    ...(isSuspended ? { former_access_level: input.role ?? 'member' } : {}),
  })
  await notifyModelChange(tx, workspaceId)
  await audit(tx, {
    ...(await scimAuditActorOf(tx, context)),
    workspaceId,
    action: 'member.created',
    subject: { type: 'workspace-member', id, name: email_address },
    details: { access_level: access.access_level },
    now: now(),
  })
}

async function invite(tx: Transaction, context: ScimContext, input: NewUser): Promise<Created> {
  const { workspaceId, memberId, now, appContext } = context
  const { userName: email_address, role = 'member' } = input
  await requireFreeSeat(tx, workspaceId, appContext.settings.memberQuota)
  const { id, token } = await createInvitation(
    tx,
    {
      workspaceId,
      email_address,
      access_level: role,
      invitedBy: memberId,
      first_name: input.givenName ?? '',
      last_name: input.familyName ?? '',
      external_id: input.externalId ?? null,
    },
    now(),
  )
  await audit(tx, {
    ...(await scimAuditActorOf(tx, context)),
    workspaceId,
    action: 'invitation.created',
    subject: { type: 'invitation', id, name: email_address },
    details: { access_level: role },
    now: now(),
  })
  return { user: await read(tx, context, email_address), email: { kind: 'invitation', token } }
}

async function read(tx: Transaction, context: ScimContext, userName: string): Promise<UserRow> {
  const user = await findUserByName(tx, context, userName)
  if (user === undefined) throw new Error(`The user ${userName} is missing.`)
  return user
}
