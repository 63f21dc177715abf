/** The accounts of imported members. */

import type { Transaction } from '#db/connect'
import { createAccountWithoutPassword, findAccountByEmail } from '#access/accounts/accounts'
import type { Clock } from '#base/timing/clock'
import type { CompleteRow } from './insert-rows'

const MAX_ADDRESS = 320
const WEB_ADDRESS = /^https?:\/\//

/**
 * Gives each member that had an account the account of this service with the same address. Without one, an account without a
 * password is created; its owner sets a password with a link.
 */
export const accountsOfMembers =
  (tx: Transaction, now: Clock): CompleteRow =>
  async ({ account_email_address: address, avatar_url }) => {
    if (avatar_url !== null && !(typeof avatar_url === 'string' && WEB_ADDRESS.test(avatar_url)))
      throw new Error('avatar_url is an address of the web or null.')
    if (address === null) return { account_id: null }
    if (typeof address !== 'string' || !address.includes('@') || address.length > MAX_ADDRESS) {
      throw new Error('account_email_address is an email address or null.')
    }
    const existing = await findAccountByEmail({ sql: tx }, address)
    return { account_id: existing ?? (await createAccountWithoutPassword({ sql: tx }, address, now())).id }
  }
