import type { Transaction } from '#db/connect'
import { createAccountWithoutPassword, findAccountByEmail } from '#access/accounts/accounts'
import { userExists } from '#base/errors/protocols/scim'
import type { ScimContext } from '#api/scim/scim-context'
import { findMemberOfAccount } from './store'

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
