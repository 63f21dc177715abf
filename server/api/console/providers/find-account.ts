/**
 * Finds the account of a provider's user: by the subject once it is linked, before that by the verified email address of a
 * member. See docs/reference/sign-in.md (Who signs in).
 */

import type { Transaction } from '#db/connect'
import { createAccount, findAccountByEmail, findEmailOfAccount } from '#access/accounts/accounts'
import { audit } from '#access/audit-log/audit'
import { findMemberByEmail, linkAccount } from '#access/members/members'
import { requireSeat } from '#access/members/seats'
import { isActiveMember } from '#access/members/memberships'
import { findLinkedAccount, linkIdentity, type Identity } from '#access/providers/identities'
import type { ProviderUser } from '#access/providers/openid-client'
import { newSecret } from '#access/secrets'
import { notifyModelChange } from '#engine/data-model/change-model'
import { emailNotVerified, noMemberOfProvider } from '#base/errors/access'
import type { AppContext } from '#context'
import type { AuthenticatedAccount } from '#api/console/session/start-session'

type ProviderKey = Omit<Identity, 'subject'>

/** Throws 403 when no member has this account or address, without a seat, and when the provider did not verify the address. */
export async function findAccountOfUser(
  appContext: AppContext,
  provider: ProviderKey,
  { subject, verifiedEmail }: ProviderUser,
  address: string | null,
): Promise<AuthenticatedAccount> {
  const { db, now } = appContext
  const identity = { ...provider, subject }
  return db.sql.begin(async (tx) => {
    const linked = await findLinkedAccount(tx, identity)
    if (linked === undefined && verifiedEmail === undefined) throw emailNotVerified()
    const accountId = linked ?? (await accountOfEmail(tx, appContext, provider.workspaceId, verifiedEmail ?? ''))
    if (accountId === undefined || !(await maySignIn(tx, accountId, provider.workspaceId)))
      throw noMemberOfProvider(verifiedEmail)
    const emailAddress = (await findEmailOfAccount({ sql: tx }, accountId)) ?? ''
    if (linked === undefined) {
      await linkIdentity(tx, identity, accountId, now())
      await audit(tx, {
        actor: null,
        address,
        workspaceId: provider.workspaceId,
        action: 'provider.account-linked',
        subject: { type: 'account', id: accountId, name: emailAddress },
        details: { issuer: provider.issuer, subject },
        now: now(),
      })
    }
    return { accountId, emailAddress }
  }) as Promise<AuthenticatedAccount> // the driver's type for the callback's result is wider
}

const maySignIn = async (tx: Transaction, accountId: string, workspaceId: string | null): Promise<boolean> =>
  workspaceId === null || isActiveMember(tx, accountId, workspaceId)

/** The provider of a workspace may sign in only its members; the provider of the installation may sign in all accounts. */
async function accountOfEmail(
  tx: Transaction,
  { now, settings }: AppContext,
  workspaceId: string | null,
  emailAddress: string,
): Promise<string | undefined> {
  if (workspaceId === null) return findAccountByEmail({ sql: tx }, emailAddress)
  // Concurrent first sign-ins create one account.
  await tx`select pg_advisory_xact_lock(hashtextextended(${`account of ${emailAddress}`}, 0))`
  const member = await findMemberByEmail(tx, workspaceId, emailAddress)
  if (member === undefined || member.account_id !== null) return member?.account_id ?? undefined
  // A member who was provisioned has no account yet. Its password is unknown until the owner resets it.
  const existing = await findAccountByEmail({ sql: tx }, emailAddress)
  const password = newSecret()
  const account_id = existing ?? (await createAccount({ sql: tx }, { email_address: emailAddress, password }, now())).id
  await linkAccount(tx, workspaceId, member.id, { ...member, account_id }, now())
  await requireSeat(tx, workspaceId, settings.memberQuota)
  await notifyModelChange(tx, workspaceId)
  return account_id
}
