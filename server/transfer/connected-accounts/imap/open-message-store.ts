/** What storing the messages of an account needs: its mailbox, the member's own addresses, the exclusions. */

import { openMailbox } from '#crm/mailboxes/insert-emails'
import { normaliseAddress } from '#crm/mailboxes/email'
import type { AccountRun } from '#transfer/connected-accounts/account'
import type { ImapSettings } from '#transfer/connected-accounts/settings'
import { listAccounts, listExclusions } from '#transfer/connected-accounts/store'
import type { MessageStore } from './store-messages'

export async function openMessageStore({
  appContext,
  account,
}: Pick<AccountRun<ImapSettings>, 'appContext' | 'account'>): Promise<MessageStore> {
  const { db, now, models } = appContext
  const { workspaceId, memberId } = account
  const find = async () => (await models.get(workspaceId)).membersById.get(memberId)
  const member = (await find()) ?? (await models.reload(workspaceId)).membersById.get(memberId)
  if (member === undefined) throw new Error(`The member ${memberId} of an account does not exist.`)
  const accounts = await listAccounts(db.sql, account)
  const texts = [member.email_address, account.settings.user, ...accounts.map((each) => each.email_address)]
  return {
    account,
    db,
    now,
    mailbox: await openMailbox(db, workspaceId, member, now(), account.id),
    ownAddresses: new Set(texts.flatMap((text) => normaliseAddress(text) ?? [])),
    exclusions: await listExclusions(db.sql, account),
    getModel: () => models.get(workspaceId),
  }
}
