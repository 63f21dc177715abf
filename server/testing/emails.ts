/** Emails of a mailbox of the first workspace's member, for tests. */

import { insertEmails, type Mailbox, type NewEmail, openMailbox } from '#crm/mailboxes/insert-emails'
import type { TestService } from './service'

/** The mailbox of the member of the first workspace. */
async function memberMailbox({ appContext, db, workspaceId, member }: TestService): Promise<Mailbox> {
  const model = await appContext.models.reload(workspaceId)
  const found = model.membersById.get(member.id)
  if (found === undefined) throw new Error('The member does not exist.')
  return openMailbox(db, workspaceId, found, appContext.now())
}

let emails = 0

/** An inbound email from one address to others. */
export const emailFrom = (
  from: string,
  sentAt: string,
  to: readonly string[] = [],
  subjectLine = 'Hello',
): NewEmail => ({
  messageKey: `message-${++emails}`,
  threadKey: `thread-${emails}`,
  sentAt,
  direction: 'inbound',
  subjectLine,
  participants: [['from', from, null], ...to.map((address) => ['to', address, null] as const)],
})

export const addEmails = async (service: TestService, all: readonly NewEmail[]): Promise<number> =>
  insertEmails(service.db.sql, await memberMailbox(service), all)

/**
 * Inserts emails by SQL, one a minute. A tenth of them have the address `ada@relata.dev`, each fiftieth has an address of the
 * domain `relata.dev`, and all have an address of their own.
 */
export async function seedEmails(service: TestService, count: number): Promise<void> {
  const { id, owner } = await memberMailbox(service)
  const { db, workspaceId } = service
  await db.sql`
    insert into relata.emails (workspace_id, mailbox_id, id, message_key, thread_key, sent_at, direction, subject_line, participants)
    select ${workspaceId}, ${id}, gen_random_uuid(), 'seed ' || n, 'seed ' || n, timestamptz '2020-01-01' + n * interval '1 minute',
      'inbound', 'Email ' || n, jsonb_build_array(jsonb_build_array('from', case when n % 10 = 0 then 'ada@relata.dev'
        when n % 50 = 1 then n || '@relata.dev' else 'a' || n || '@example' || n % 1000 || '.com' end, null))
    from generate_series(1, ${count}::int) n`
  await db.sql`
    insert into relata.email_addresses (workspace_id, email_address, sent_at, email_id, owner)
    select workspace_id, participants->0->>1, sent_at, id, ${owner}::int from relata.emails`
  await db.sql`
    insert into relata.email_domains (workspace_id, email_domain, sent_at, email_id, owner)
    select workspace_id, split_part(participants->0->>1, '@', 2), sent_at, id, ${owner}::int from relata.emails`
  await db.sql.unsafe('analyze relata.emails, relata.email_addresses, relata.email_domains')
}
