-- Mailboxes that follow a connected account, and which message of the server each of their emails is. See docs/decisions/connected-accounts.md.

-- Null for the mailbox of the files that were imported for the member.
alter table relata.mailboxes add column account_id uuid;
alter table relata.mailboxes add foreign key (workspace_id, account_id) references relata.connected_accounts on delete cascade;
alter table relata.mailboxes drop constraint mailboxes_workspace_id_member_id_key;
create unique index mailboxes_of_files on relata.mailboxes (workspace_id, member_id) where account_id is null;
create unique index mailboxes_of_accounts on relata.mailboxes (workspace_id, account_id) where account_id is not null;

-- A message of a server whose email is stored. The folder is a number of the account's `sync_state`.
create table relata.synced_messages (
  workspace_id uuid not null,
  account_id uuid not null,
  folder int not null,
  uid bigint not null,
  -- The key of the email in the mailbox of the account.
  message_key text not null,
  primary key (workspace_id, account_id, folder, uid),
  foreign key (workspace_id, account_id) references relata.connected_accounts on delete cascade
);

create index synced_messages_key on relata.synced_messages (workspace_id, account_id, message_key);
