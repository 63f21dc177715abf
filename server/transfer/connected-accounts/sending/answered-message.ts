/** Finds the headers of the email that another one answers, by which programs show both in one thread. */

import type { Sql } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { readHeaders } from '#transfer/mail-files/raw-message'
import type { ConnectedAccount } from '#transfer/connected-accounts/account'
import { closeImap, openImap, problemOf } from '#transfer/connected-accounts/imap/connect'
import { parseSyncState } from '#transfer/connected-accounts/imap/sync-state'
import type { AccountServers } from '#transfer/connected-accounts/servers'
import type { ImapSettings } from '#transfer/connected-accounts/settings'

/** The headers of a reply, as they are written. */
export interface ReplyHeaders {
  readonly inReplyTo: string
  readonly references: string
}

interface AnsweredMessages {
  readonly sql: Sql
  readonly servers: AccountServers
  readonly account: ConnectedAccount<ImapSettings>
}

/** Undefined when neither the account sent the email nor a folder of the server has it. Throws `AccountProblem`. */
export async function findReplyHeaders(on: AnsweredMessages, messageKey: string): Promise<ReplyHeaders | undefined> {
  return (await findSent(on, messageKey)) ?? (await readFromServer(on, messageKey))
}

async function findSent({ sql, account }: AnsweredMessages, messageKey: string): Promise<ReplyHeaders | undefined> {
  const row = await controlQueriesIn(sql)
    .selectFrom('relata.sent_emails')
    .select(['message_id', 'reference_ids'])
    .where('workspace_id', '=', account.workspaceId)
    .where('account_id', '=', account.id)
    .where('message_key', '=', messageKey)
    .executeTakeFirst()
  return row && headersOf(`<${row.message_id}>`, row.reference_ids ?? '')
}

const NAMES = ['message-id', 'references', 'in-reply-to'] as const

async function readFromServer(
  { sql, servers, account }: AnsweredMessages,
  messageKey: string,
): Promise<ReplyHeaders | undefined> {
  const message = await controlQueriesIn(sql)
    .selectFrom('relata.synced_messages')
    .select(['folder', 'uid'])
    .where('workspace_id', '=', account.workspaceId)
    .where('account_id', '=', account.id)
    .where('message_key', '=', messageKey)
    .executeTakeFirst()
  const folder = parseSyncState(account.syncState).folders.find(({ id }) => id === message?.folder)
  if (message === undefined || folder === undefined) return undefined
  const client = await openImap(servers, account)
  try {
    await client.mailboxOpen(folder.path, { readOnly: true })
    const found = await client.fetchOne(message.uid, { headers: [...NAMES] }, { uid: true })
    if (found === false || found.headers === undefined) return undefined
    const { headers } = readHeaders(found.headers)
    const idsOf = (name: (typeof NAMES)[number]) => messageIdsIn(headers.get(name)?.[0] ?? '')
    const [messageId] = idsOf('message-id')
    const references = idsOf('references')
    if (messageId === undefined) return undefined
    return headersOf(messageId, (references.length > 0 ? references : idsOf('in-reply-to')).join(' '))
  } catch (error) {
    throw problemOf(error)
  } finally {
    await closeImap(client)
  }
}

/** Message-IDs in their signs. Other text is left out. */
const messageIdsIn = (text: string): string[] => text.match(/<[^<>\s]{1,500}>/g) ?? []

/** The first one and the last ones of a long thread. */
const MAX_REFERENCES = 20

function headersOf(messageId: string, references: string): ReplyHeaders {
  const ids = [...messageIdsIn(references), messageId]
  const kept = ids.length > MAX_REFERENCES ? [...ids.slice(0, 1), ...ids.slice(1 - MAX_REFERENCES)] : ids
  return { inReplyTo: messageId, references: kept.join(' ') }
}
