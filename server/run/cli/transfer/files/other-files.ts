/** Emails, templates, saved queries and webhooks. */

import { defineFile } from './define-file'

/** A mailbox of a connected account stays here with its emails: the account is not exported, and is read again where it is connected. */
export const mailboxesFile = defineFile({
  name: 'mailboxes',
  table: 'mailboxes',
  where: 't.account_id is null',
  order: 't.id',
  columns: { id: 'uuid', member_id: 'uuid', created_at: 'timestamptz' },
})

const MAILBOXES_OF_FILES = '(select m.id from relata.mailboxes m where m.workspace_id = $1 and m.account_id is null)'
const IS_OF_FILES = `t.email_id in (select e.id from relata.emails e where e.workspace_id = $1 and e.mailbox_id in ${MAILBOXES_OF_FILES})`

export const emailsFile = defineFile({
  name: 'emails',
  table: 'emails',
  where: `t.mailbox_id in ${MAILBOXES_OF_FILES}`,
  order: 't.id',
  columns: {
    id: 'uuid',
    mailbox_id: 'uuid',
    message_key: 'text',
    thread_key: 'text',
    sent_at: 'timestamptz',
    direction: 'text',
    subject_line: 'text',
    participants: 'jsonb',
  },
})

export const emailAddressesFile = defineFile({
  name: 'email-addresses',
  table: 'email_addresses',
  where: IS_OF_FILES,
  order: 't.email_id, t.email_address, t.sent_at',
  columns: { email_id: 'uuid', email_address: 'text', sent_at: 'timestamptz', owner: 'int' },
})

export const emailDomainsFile = defineFile({
  name: 'email-domains',
  table: 'email_domains',
  where: IS_OF_FILES,
  order: 't.email_id, t.email_domain, t.sent_at',
  columns: { email_id: 'uuid', email_domain: 'text', sent_at: 'timestamptz', owner: 'int' },
})

export const unsubscribedEmailsFile = defineFile({
  name: 'unsubscribed-emails',
  table: 'unsubscribed_emails',
  order: 't.email_address',
  columns: { email_address: 'text', created_at: 'timestamptz' },
})

export const emailTemplatesFile = defineFile({
  name: 'email-templates',
  table: 'email_templates',
  order: 't.id',
  columns: {
    id: 'uuid',
    object_id: 'uuid',
    name: 'text',
    subject: 'text',
    body: 'text',
    unsubscribe: 'boolean',
    created_at: 'timestamptz',
  },
})

export const savedQueriesFile = defineFile({
  name: 'saved-queries',
  table: 'saved_queries',
  order: 't.id',
  batch: 100,
  columns: {
    id: 'uuid',
    name: 'text',
    sql: 'text',
    member_id: 'uuid',
    version: 'int',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
})

/** An imported webhook has a new secret, and sends nothing before a person activates it. */
export const webhooksFile = defineFile({
  name: 'webhooks',
  table: 'webhooks',
  order: 't.id',
  columns: {
    id: 'uuid',
    client_id: 'uuid',
    target_url: 'text',
    subscriptions: 'jsonb',
    created_at: 'timestamptz',
    created_by: 'int',
    saved_by: 'int',
  },
  former: ['fingerprint'],
  constants: { status: `'inactive'` },
  added: { secret: 'text' },
})
