-- The records from which members send emails. See docs/decisions/sending-email.md.

create table relata.email_links (
  workspace_id uuid not null,
  -- The account that sends the email, and the key of the email in its mailbox. The link exists before the email is sent.
  account_id uuid not null,
  message_key text not null,
  object_id uuid not null,
  record_id uuid not null,
  linked_at timestamptz not null,
  primary key (workspace_id, account_id, message_key, record_id),
  foreign key (workspace_id, account_id) references relata.connected_accounts on delete cascade,
  foreign key (workspace_id, object_id) references relata.entity_types on delete cascade
);

create index email_links_record on relata.email_links (workspace_id, record_id, linked_at);
create index email_links_object on relata.email_links (workspace_id, object_id);
