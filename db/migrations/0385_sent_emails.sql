-- Emails that members send from their connected accounts: a queue, and what became of each. See docs/decisions/sending-email.md.

create table relata.sent_emails (
  workspace_id uuid not null references relata.all_workspaces on delete cascade,
  id uuid not null,
  account_id uuid not null,
  -- The member who sends it, who has the account.
  member_id uuid not null,
  -- `sending` from before the first byte of the message is sent until the server has answered. A process that ends meanwhile leaves it
  -- `unknown`: such an email is never sent again by itself.
  state text not null default 'queued' check (state in ('queued', 'sending', 'sent', 'failed', 'unknown')),
  message_id text not null,
  -- The key of the email in the mailbox of the account, a hash of the Message-ID.
  message_key text not null,
  from_address text not null,
  from_name text,
  -- [role, address] of each.
  recipients jsonb not null,
  subject text not null,
  -- Null once the email is sent.
  body_text text,
  body_html text,
  -- The ids of files.
  attachments jsonb not null default '[]',
  -- The key of the email that it answers, and the headers that follow from that one.
  reply_to_key text,
  in_reply_to text,
  reference_ids text,
  -- [address, answer] of each recipient that the server refused.
  refused jsonb not null default '[]',
  -- Why it is not sent: a code of the service, a sentence for people, and what the server said.
  error_code text,
  error_message text,
  error_answer text,
  failures int not null default 0,
  -- Whether the folder of sent messages is still to get a copy.
  needs_copy boolean not null default false,
  created_at timestamptz not null,
  sent_at timestamptz,
  -- A queue: when the next step is due.
  due_at timestamptz,
  attempts int not null default 0,
  leased_by uuid,
  worker text,
  primary key (workspace_id, id),
  foreign key (workspace_id, account_id) references relata.connected_accounts on delete cascade
);

create index sent_emails_member on relata.sent_emails (workspace_id, member_id, created_at desc, id desc);
create index sent_emails_account on relata.sent_emails (workspace_id, account_id, created_at);
create index sent_emails_key on relata.sent_emails (workspace_id, account_id, message_key);
create index sent_emails_created on relata.sent_emails (created_at);
create index sent_emails_due on relata.sent_emails (due_at) where due_at is not null;
create index sent_emails_worker on relata.sent_emails (worker) where worker is not null;
