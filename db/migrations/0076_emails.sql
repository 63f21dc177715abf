-- The metadata of imported emails, and the addresses that unsubscribed.

-- One mailbox for each member whose emails were imported.
create table relata.mailboxes (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  member_id uuid not null,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, member_id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

create table relata.emails (
  workspace_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- The SHA-256 of the Message-ID; of the headers, for an email without one.
  message_key text not null,
  -- The SHA-256 of the Message-ID of the first email of the thread.
  thread_key text not null,
  sent_at timestamptz not null,
  direction text not null check (direction in ('inbound', 'outbound')),
  subject_line text,
  -- An array of [role, email address, name or null].
  participants jsonb not null,
  primary key (workspace_id, id),
  unique (workspace_id, mailbox_id, message_key),
  foreign key (workspace_id, mailbox_id) references relata.mailboxes on delete cascade
);

create index emails_sent on relata.emails (workspace_id, sent_at, id);

-- One row for each address of an email, and one for each domain. They repeat the sort keys of the email, so that a page of
-- each list is a few ranges of one index. See docs/decisions/meetings-and-emails.md.
create table relata.email_addresses (
  workspace_id uuid not null,
  email_address text not null,
  sent_at timestamptz not null,
  email_id uuid not null,
  -- The number of the actor of the mailbox's member.
  owner int not null,
  primary key (workspace_id, email_address, sent_at, email_id),
  foreign key (workspace_id) references relata.workspaces on delete cascade
);

-- The domain of an address, and its registrable domain.
create table relata.email_domains (
  workspace_id uuid not null,
  email_domain text not null,
  sent_at timestamptz not null,
  email_id uuid not null,
  owner int not null,
  primary key (workspace_id, email_domain, sent_at, email_id),
  foreign key (workspace_id) references relata.workspaces on delete cascade
);

create table relata.unsubscribed_emails (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  email_address text not null,
  created_at timestamptz not null,
  primary key (workspace_id, email_address)
);
