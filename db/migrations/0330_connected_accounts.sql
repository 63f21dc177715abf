-- Connected accounts: email accounts and calendars of members at other servers, which the service reads by itself. See docs/decisions/connected-accounts.md.

create table relata.connected_accounts (
  workspace_id uuid not null references relata.all_workspaces on delete cascade,
  id uuid not null,
  member_id uuid not null,
  -- The protocol. `server/transfer/connected-accounts/kinds.ts` lists the kinds.
  kind text not null,
  email_address text not null,
  -- Where the server is and how to sign in, without secrets. Its form depends on the kind.
  settings jsonb not null,
  -- The encrypted JSON of the password or the tokens. Null for an account without them, and after the key of the operator was lost.
  secret text,
  -- What colleagues see of what came from the account.
  sharing text not null default 'everything' check (sharing in ('everything', 'exchange', 'nothing')),
  -- For how many days before its creation the service reads; null for everything.
  history_days int check (history_days > 0),
  state text not null default 'active' check (state in ('active', 'failing', 'sign-in-required', 'removing')),
  -- Why the last attempt failed: a code of the service, a sentence for people, and what the server said.
  error_code text,
  error_message text,
  error_answer text,
  -- Since when attempts fail without interruption.
  failing_since timestamptz,
  -- How many attempts failed without interruption, which decides about the back-off.
  failures int not null default 0,
  -- What the service has read, and what it does next. Its form depends on the kind.
  sync_state jsonb not null default '{}',
  -- What people see of it: counts, and the items that could not be read.
  progress jsonb not null default '{}',
  -- Changes of the member that the worker has yet to apply to what is stored: `sharing`, `exclusions`.
  pending_changes text[] not null default '{}',
  -- When the service last had everything of the server.
  synced_at timestamptz,
  created_at timestamptz not null,
  -- A queue: when the account is to be read, or removed.
  due_at timestamptz,
  attempts int not null default 0,
  leased_by uuid,
  worker text,
  primary key (workspace_id, id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

create index connected_accounts_member on relata.connected_accounts (workspace_id, member_id);
create index connected_accounts_due on relata.connected_accounts (due_at) where due_at is not null;
create index connected_accounts_worker on relata.connected_accounts (worker) where worker is not null;

-- Addresses and domains that a member never wants to be stored from connected accounts. A domain has no `@`.
create table relata.excluded_addresses (
  workspace_id uuid not null references relata.all_workspaces on delete cascade,
  member_id uuid not null,
  pattern text not null,
  primary key (workspace_id, member_id, pattern),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

-- Members may connect accounts unless an admin takes this permission from them.
alter table relata.all_workspaces drop constraint workspaces_member_permissions_check;
alter table relata.all_workspaces add constraint workspaces_member_permissions_check check (
  member_permissions <@ array['data_model', 'webhooks', 'api_keys', 'apps', 'import_definitions', 'connected_accounts']
);
alter table relata.all_workspaces alter column member_permissions set default '{connected_accounts}';
update relata.all_workspaces set member_permissions = array_append(member_permissions, 'connected_accounts');
