/** Connects an account that sends email and is not read, without signing in anywhere. With `imapPort`, it gets copies of sent emails there. */

import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import { encryptAccountSecret } from '#transfer/connected-accounts/store'
import type { TestService } from './service'

interface SendingAccount {
  readonly address?: string
  readonly port?: number
  readonly imapPort?: number
}

export async function addSendingAccount(
  { db, workspaceId, appContext }: TestService,
  memberId: string,
  { address = 'ada@lovelace.org', port = 1, imapPort }: SendingAccount = {},
): Promise<string> {
  const id = newId()
  const server = { host: '127.0.0.1', security: 'none', user: address }
  const smtp = { ...server, port, saves_sent: imapPort === undefined }
  const settings = { ...server, port: imapPort ?? port, smtp }
  await db.sql.begin(async (tx) => {
    const secret = await encryptAccountSecret(db, tx, { workspaceId, id }, { password: 'secret' })
    await tx`insert into relata.connected_accounts (workspace_id, id, member_id, kind, email_address, settings, secret, created_at)
      values (${workspaceId}, ${id}, ${memberId}, 'imap', ${address}, ${JSON.stringify(settings)}::text::jsonb, ${secret},
        ${timestampFromMicros(appContext.now())}::timestamptz)`
  })
  return id
}
