/** Changes a member: names, address, role, and whether the member is active. */

import type { Transaction } from '#db/connect'
import { audit } from '#access/audit-log/audit'
import { areOnVerifiedDomains } from '#access/domains/domains'
import { isOnlyAdmin, linkAccount, requireSeat, updateMember } from '#access/members/members'
import { notifyModelChange } from '#engine/data-model/change-model'
import { immutableAttribute, onlyAdminRemains, userExists } from '#base/errors/protocols/scim'
import { timestampFromMicros } from '#base/timing/clock'
import { scimAuditActorOf, type ScimContext } from '#api/scim/scim-context'
import { type ScimRole, splitFullName, type UserChange } from './user-change'
import { findMemberOfAccount, findUserByName, updateAccountAddress, updateProviderFields, type UserRow } from './store'
import { createAccountWithoutPassword, findAccountByEmail } from '#access/accounts/accounts'

/** The attributes of a member that SCIM changes. */
type State = Pick<UserRow, 'user_name' | 'first_name' | 'last_name' | 'access_level' | 'external_id'> & {
  readonly role: ScimRole
}

/**
 * Returns whether the member got access with a new account. Writes nothing when nothing changes. Throws 400, 403 for an activation
 * without a free seat, and 409.
 */
export async function changeMember(
  tx: Transaction,
  context: ScimContext,
  before: UserRow,
  change: UserChange,
): Promise<{ isWelcome: boolean }> {
  const { workspaceId } = context
  const after = stateAfter(before, change)
  if (after.access_level !== 'admin' && (await isOnlyAdmin(tx, workspaceId, before))) throw onlyAdminRemains()
  if (after.user_name !== before.user_name) await changeAddress(tx, context, before, after.user_name)
  const differences = differencesOf(before, after)
  const isActivated = before.access_level === 'suspended' && after.access_level !== 'suspended'
  const account_id = isActivated ? await accountOfActivated(tx, context, before, after) : null
  if (isActivated || Object.keys(differences).length > 0) await store(tx, context, before, after)
  if (account_id !== null) {
    const member = { ...after, email_address: after.user_name, account_id }
    await linkAccount(tx, workspaceId, before.id, member, context.now())
  }
  if (isActivated) await requireSeat(tx, workspaceId, context.appContext.settings.memberQuota)
  await storeProviderFields(tx, context, before, after)
  if (Object.keys(differences).length > 0) await auditChange(tx, context, before, differences)
  return { isWelcome: account_id !== null }
}

function stateAfter(before: UserRow, change: UserChange): State {
  const held = before.access_level === 'suspended' ? (before.former_access_level ?? 'member') : before.access_level
  const role = change.role ?? held
  const isActive = change.active ?? before.access_level !== 'suspended'
  const named = splitFullName(change, { givenName: before.first_name, familyName: before.last_name })
  return {
    user_name: change.userName ?? change.workAddress ?? before.user_name,
    first_name: named.givenName ?? before.first_name,
    last_name: named.familyName ?? before.last_name,
    access_level: isActive ? role : 'suspended',
    external_id: change.externalId === undefined ? before.external_id : change.externalId,
    role,
  }
}

const AUDITED = ['user_name', 'first_name', 'last_name', 'access_level'] as const

/** Returns the old and the new value of each changed attribute. */
const differencesOf = (before: UserRow, after: State) =>
  Object.fromEntries(
    AUDITED.filter((name) => before[name] !== after[name]).map((name) => [
      name,
      { before: before[name], after: after[name] },
    ]),
  )

/** The old and the new address must be on verified domains, so that no workspace takes over the account of a stranger. */
async function changeAddress(tx: Transaction, context: ScimContext, before: UserRow, userName: string): Promise<void> {
  const { workspaceId } = context
  if (!(await areOnVerifiedDomains(tx, workspaceId, [before.user_name, userName])))
    throw immutableAttribute('"userName" changes only from one address on a verified domain to another.')
  if ((await findUserByName(tx, context, userName)) !== undefined) throw userExists(userName)
  const isFree = before.account_id === null || (await updateAccountAddress(tx, before.account_id, userName))
  if (!isFree) throw userExists(userName)
  await updateProviderFields(tx, workspaceId, before.id, { email_address: userName })
}

/** A member without an account gets one with the activation when the address is on a verified domain. */
async function accountOfActivated(
  tx: Transaction,
  context: ScimContext,
  before: UserRow,
  { user_name }: State,
): Promise<string | null> {
  if (before.account_id !== null || !(await areOnVerifiedDomains(tx, context.workspaceId, [user_name]))) return null
  return accountFor(tx, context, user_name)
}

async function store(tx: Transaction, { workspaceId, now }: ScimContext, before: UserRow, after: State): Promise<void> {
  await updateMember(tx, workspaceId, { ...before, email_address: before.user_name }, after, now())
  await notifyModelChange(tx, workspaceId)
}

async function storeProviderFields(
  tx: Transaction,
  { workspaceId, now }: ScimContext,
  before: UserRow,
  after: State,
): Promise<void> {
  const former_access_level = after.access_level === 'suspended' ? after.role : before.former_access_level
  if (after.external_id === before.external_id && former_access_level === before.former_access_level) return
  const { external_id } = after
  const updated_at = timestampFromMicros(now())
  await updateProviderFields(tx, workspaceId, before.id, { external_id, former_access_level, updated_at })
}

const auditChange = async (
  tx: Transaction,
  context: ScimContext,
  before: UserRow,
  details: Readonly<Record<string, unknown>>,
) =>
  audit(tx, {
    ...(await scimAuditActorOf(tx, context)),
    workspaceId: context.workspaceId,
    action: 'member.updated',
    subject: { type: 'workspace-member', id: before.id, name: before.user_name },
    details,
    now: context.now(),
  })

/** Returns the account with the address, which may be a new one. Throws 409 when it is a member under another address. */
export async function accountFor(
  tx: Transaction,
  { workspaceId, now }: Pick<ScimContext, 'workspaceId' | 'now'>,
  userName: string,
): Promise<string> {
  const existing = await findAccountByEmail({ sql: tx }, userName)
  if (existing === undefined) return (await createAccountWithoutPassword({ sql: tx }, userName, now())).id
  if ((await findMemberOfAccount(tx, workspaceId, existing)) !== undefined) throw userExists(userName)
  return existing
}
