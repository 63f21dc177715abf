-- Workspaces and the people in them. Everything else hangs below a workspace.

create schema if not exists relata;

create table relata.workspaces (
  id uuid primary key,
  -- Names the workspace's own schema, w_<number>; slugs change, this does not.
  number int generated always as identity unique,
  slug text not null unique,
  name text not null,
  logo_url text,
  -- Raised in the transaction of every change of the data model, of options, members and actors.
  data_model_version int not null default 1,
  -- The last number given to an owner, attribute, option or actor of this workspace.
  last_number int not null default 0,
  -- Signs what the service hands to callers and takes back, such as cursors.
  secret uuid not null default gen_random_uuid(),
  -- Returns updated_at and updated_by in values; off, so that payloads stay as existing clients know them.
  shows_updated_at boolean not null default false,
  created_at timestamptz not null
);

create table relata.accounts (
  id uuid primary key,
  email_address text not null unique,
  password_hash text not null,
  created_at timestamptz not null
);

create table relata.workspace_members (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  account_id uuid references relata.accounts,
  first_name text not null,
  last_name text not null,
  email_address text not null,
  avatar_url text,
  access_level text not null check (access_level in ('admin', 'member', 'suspended')),
  created_at timestamptz not null,
  primary key (workspace_id, id)
);

create unique index workspace_members_email_address on relata.workspace_members (workspace_id, lower(email_address));

-- Who did something, as one number: values, history and holders carry it instead of a type and an id.
-- Number 0 is the system and has no row.
create table relata.actors (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  number int not null,
  type text not null check (type in ('api-token', 'workspace-member', 'app')),
  id uuid not null,
  primary key (workspace_id, number),
  unique (workspace_id, type, id)
);
