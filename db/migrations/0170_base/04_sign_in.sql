-- Sign-in at the console. Secrets are stored as hashes unless they are sent or computed with.

create table relata.sessions (
  id uuid primary key,
  account_id uuid not null references relata.accounts on delete cascade,
  token_hash bytea not null unique,
  user_agent text not null,
  address text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  method text not null check (method in ('password', 'passkey', 'provider')),
  second_factor text check (second_factor in ('passkey', 'totp', 'recovery-code', 'provider')),
  -- A session from the provider of one workspace opens that workspace only.
  workspace_id uuid references relata.workspaces on delete cascade,
  -- The last time at which the account proved itself in this session.
  proven_at timestamptz,
  -- Where the browser signs out at the provider that began the session. Null: the provider has no such page.
  provider_sign_out_url text
);

create index sessions_account on relata.sessions (account_id, last_used_at);
create index sessions_workspace on relata.sessions (workspace_id) where workspace_id is not null;

-- A sign-in whose second step is outstanding.
create table relata.pending_sign_ins (
  token_hash bytea primary key,
  account_id uuid not null references relata.accounts on delete cascade,
  method text not null check (method in ('password', 'provider')),
  expires_at timestamptz not null,
  -- As in the session that it becomes.
  provider_sign_out_url text
);

create index pending_sign_ins_account on relata.pending_sign_ins (account_id);

create table relata.password_resets (
  token_hash bytea primary key,
  account_id uuid not null references relata.accounts on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index password_resets_account on relata.password_resets (account_id);

-- Failed attempts of sign-in and of other guesses, by subject. Unlogged, because losing them in a crash does no harm.
create unlogged table relata.attempts (
  subject text primary key,
  count int not null,
  since timestamptz not null,
  -- From this time on, the next attempt is allowed.
  free_at timestamptz not null,
  -- The attempts that are being checked. They count as failures until they succeed.
  pending int not null default 0,
  -- From this time on, pending attempts no longer count: their process is dead.
  pending_until timestamptz not null default '-infinity'
);

-- Second factors.

create table relata.passkeys (
  account_id uuid not null references relata.accounts on delete cascade,
  id uuid not null,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (account_id, id)
);

create table relata.passkey_challenges (
  account_id uuid not null references relata.accounts on delete cascade,
  challenge text not null,
  purpose text not null check (purpose in ('enrolment', 'proof')),
  expires_at timestamptz not null,
  primary key (account_id, challenge)
);

-- Challenges that a passkey of any account signs. Each works once.
create table relata.sign_in_challenges (
  challenge text primary key,
  expires_at timestamptz not null
);

create index sign_in_challenges_expires_at on relata.sign_in_challenges (expires_at);

create table relata.totp_secrets (
  account_id uuid primary key references relata.accounts on delete cascade,
  -- Codes are computed from it, so it cannot be stored as a hash.
  secret text not null,
  created_at timestamptz not null,
  -- Null until the account has entered a first code.
  confirmed_at timestamptz,
  -- The time step of the last accepted code.
  last_step bigint not null default 0
);

create table relata.recovery_codes (
  account_id uuid not null references relata.accounts on delete cascade,
  code_hash bytea not null,
  primary key (account_id, code_hash)
);

-- Sign-in by OpenID Connect.

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
