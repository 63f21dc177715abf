-- Texts of emails that connected accounts read, for workspaces that store them. See docs/decisions/email-texts.md.

alter table relata.all_workspaces add column stores_email_texts boolean not null default false;
create or replace view relata.workspaces as select * from relata.all_workspaces where deleted_at is null;

-- A row for each email whose text is read or to be read.
create table relata.email_texts (
  workspace_id uuid not null,
  email_id uuid not null,
  -- The mailbox and the time of the email, by which the texts to read are found.
  mailbox_id uuid not null,
  sent_at timestamptz not null,
  -- How many attempts to read the text failed.
  failures int not null default 0,
  -- Null until the text was read.
  read_at timestamptz,
  -- Null for an email without a text, and for one whose text is not stored.
  text text,
  -- Whether the email says more than the stored text.
  is_cut boolean not null default false,
  -- [name or null, media type, size in bytes or null] of each.
  attachments jsonb not null default '[]',
  primary key (workspace_id, email_id),
  foreign key (workspace_id, email_id) references relata.emails on delete cascade
);

-- Texts whose reading failed come last.
create index email_texts_unread on relata.email_texts (workspace_id, mailbox_id, failures, sent_at desc, email_id) where read_at is null;
