-- How each session signed in, and the second factors of accounts: passkeys, one TOTP secret, recovery codes.

alter table relata.sessions
  add column method text not null default 'password' check (method in ('password', 'provider')),
  add column second_factor text check (second_factor in ('passkey', 'totp', 'recovery-code', 'provider')),
  -- A session from the provider of one workspace opens that workspace only.
  add column workspace_id uuid references relata.workspaces on delete cascade,
  -- The last time at which the account proved itself in this session.
  add column proven_at timestamptz;

alter table relata.sessions alter column method drop default;

create index sessions_workspace on relata.sessions (workspace_id) where workspace_id is not null;

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

create table relata.passkey_challenges (
  account_id uuid not null references relata.accounts on delete cascade,
  challenge text not null,
  purpose text not null check (purpose in ('enrolment', 'proof')),
  expires_at timestamptz not null,
  primary key (account_id, challenge)
);

-- A sign-in whose second step is outstanding.
create table relata.pending_sign_ins (
  token_hash bytea primary key,
  account_id uuid not null references relata.accounts on delete cascade,
  method text not null check (method in ('password', 'provider')),
  expires_at timestamptz not null
);

create index pending_sign_ins_account on relata.pending_sign_ins (account_id);
