-- People at the console: their sessions, the links they are sent, what they tried, and a log of who did what.
-- Secrets are kept as hashes only.

create table relata.sessions (
  id uuid primary key,
  account_id uuid not null references relata.accounts on delete cascade,
  token_hash bytea not null unique,
  user_agent text not null,
  address text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null
);

create index sessions_account on relata.sessions (account_id, last_used_at);

create table relata.password_resets (
  token_hash bytea primary key,
  account_id uuid not null references relata.accounts on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index password_resets_account on relata.password_resets (account_id);

-- A row lives until its invitation is accepted, taken back or replaced by a newer one.
create table relata.invitations (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  email_address text not null,
  access_level text not null check (access_level in ('admin', 'member')),
  token_hash bytea not null unique,
  invited_by_workspace_member_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, invited_by_workspace_member_id) references relata.workspace_members
);

create unique index invitations_email_address on relata.invitations (workspace_id, lower(email_address));

-- An account is one person, so it is a workspace's member once.
create unique index workspace_members_account on relata.workspace_members (account_id, workspace_id);

-- How often something was tried in vain, by whom or on what; unlogged, since forgetting it after a crash harms nobody.
create unlogged table relata.attempts (
  subject text primary key,
  count int not null,
  since timestamptz not null,
  -- The next one is let through from here on.
  free_at timestamptz not null
);

-- Append-only. `workspace_id` is null for what concerns an account that is no member anywhere.
create table relata.audit_log (
  id uuid primary key,
  workspace_id uuid references relata.workspaces,
  account_id uuid,
  action text not null,
  actor_type text,
  actor_id text,
  subject_type text not null,
  subject_id text,
  subject_name text,
  details jsonb not null,
  address text,
  created_at timestamptz not null
);

create index audit_log_workspace on relata.audit_log (workspace_id, created_at, id);
create index audit_log_action on relata.audit_log (workspace_id, action, created_at, id);
create index audit_log_account on relata.audit_log (account_id, created_at) where account_id is not null;

create function relata.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'Nothing in % is ever changed or removed.', tg_table_name;
end
$$;

create trigger audit_log_append_only before update or delete or truncate on relata.audit_log
  for each statement execute function relata.refuse_change();
