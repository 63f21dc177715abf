/** Connects an account that sends email and is not read, without signing in anywhere. */

import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import { encryptAccountSecret } from '#transfer/connected-accounts/store'
import type { TestService } from './service'

export async function addSendingAccount(
  { db, workspaceId, appContext }: TestService,
  memberId: string,
  { address = 'ada@lovelace.org', port = 1 }: { readonly address?: string; readonly port?: number } = {},
): Promise<string> {
  const id = newId()
  const server = { host: '127.0.0.1', port, security: 'none', user: address }
  await db.sql.begin(async (tx) => {
    const secret = await encryptAccountSecret(db, tx, { workspaceId, id }, { password: 'secret' })
    await tx`insert into relata.connected_accounts (workspace_id, id, member_id, kind, email_address, settings, secret, created_at)
      values (${workspaceId}, ${id}, ${memberId}, 'imap', ${address}, ${JSON.stringify({ ...server, smtp: { ...server, saves_sent: true } })}::text::jsonb, ${secret},
        ${timestampFromMicros(appContext.now())}::timestamptz)`
  })
  return id
}
