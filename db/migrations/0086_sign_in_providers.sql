-- Sign-in by OpenID Connect: the provider of a workspace, the rules of a workspace for sign-in, and linked accounts.

create table relata.sign_in_providers (
  workspace_id uuid primary key references relata.workspaces on delete cascade,
  name text not null,
  issuer text not null,
  client_id text not null,
  -- It is sent to the provider, so it cannot be stored as a hash.
  client_secret text not null,
  updated_at timestamptz not null
);

create table relata.sign_in_rules (
  workspace_id uuid primary key references relata.workspaces on delete cascade,
  requires_provider boolean not null default false,
  -- The admin who may always sign in with a password.
  break_glass_member_id uuid,
  requires_second_factor boolean not null default false,
  foreign key (workspace_id, break_glass_member_id) references relata.workspace_members (workspace_id, id),
  check (not requires_provider or break_glass_member_id is not null)
);

-- A sign-in at a provider that has not returned yet. Workspace null: the provider of the installation.
create table relata.provider_requests (
  state_hash bytea primary key,
  browser_hash bytea not null,
  workspace_id uuid references relata.workspaces on delete cascade,
  issuer text not null,
  client_id text not null,
  nonce text not null,
  code_verifier text not null,
  expires_at timestamptz not null
);

-- The accounts that signed in through a provider, by the provider's subject. Workspace null: the provider of the installation.
create table relata.provider_identities (
  id uuid primary key,
  workspace_id uuid references relata.workspaces on delete cascade,
  issuer text not null,
  subject text not null,
  account_id uuid not null references relata.accounts on delete cascade,
  created_at timestamptz not null
);

create unique index provider_identities_subject on relata.provider_identities
  (workspace_id, issuer, subject) nulls not distinct;
