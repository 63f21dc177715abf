/** Puts the copy of a sent email into the folder of sent messages, unless it is there. */

import type { ConnectedAccount } from '#transfer/connected-accounts/account'
import { closeImap, openImap, problemOf } from '#transfer/connected-accounts/imap/connect'
import type { AccountServers } from '#transfer/connected-accounts/servers'
import type { ImapSettings } from '#transfer/connected-accounts/settings'

export interface SentCopy {
  readonly messageId: string
  readonly content: Buffer
  readonly at: Date
}

/** May be repeated: a server that has the message gets no other one. Without a folder of sent messages, nothing is done. Throws `AccountProblem`. */
export async function saveSentCopy(
  servers: AccountServers,
  account: ConnectedAccount<ImapSettings>,
  { messageId, content, at }: SentCopy,
): Promise<void> {
  const client = await openImap(servers, account)
  try {
    const folder = (await client.list()).find(({ specialUse }) => specialUse === '\\Sent')
    if (folder === undefined) return
    await client.mailboxOpen(folder.path)
    const found = await client.search({ header: { 'message-id': `<${messageId}>` } })
    if (found !== undefined && found !== false && found.length > 0) return
    await client.append(folder.path, content, ['\\Seen'], at)
  } catch (error) {
    throw problemOf(error)
  } finally {
    await closeImap(client)
  }
}
