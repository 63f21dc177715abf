-- Apps, and what people granted them. Secrets, codes and tokens are kept as SHA-256 hashes; `hint` is the end of a
-- secret, to recognise it by. See docs/reference/access-and-oauth.md (Apps, Secrets and the audit log).

-- An app belongs to one workspace and may be installed in others, so its id alone names it: it is the client_id.
create table relata.apps (
  id uuid primary key,
  workspace_id uuid not null references relata.workspaces on delete cascade,
  name text not null,
  description text,
  developer_name text,
  website_url text,
  logo_url text,
  -- Has no secret: it runs where a secret could be read, so it must use PKCE.
  is_public boolean not null,
  -- May be installed in other workspaces than its own.
  is_published boolean not null,
  redirect_uris text[] not null,
  scopes text[] not null,
  allows_plain_pkce boolean not null,
  -- Its tokens expire and are refreshed; otherwise they are good until revoked.
  uses_refresh_tokens boolean not null,
  created_at timestamptz not null
);

create index apps_workspace_id on relata.apps (workspace_id);

-- Several at once, so that a new one can be in use before the old one goes.
create table relata.app_secrets (
  app_id uuid not null references relata.apps on delete cascade,
  id uuid not null,
  secret_hash bytea not null,
  hint text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (app_id, id)
);

-- One consent of one member: this app may do this in this workspace. All its tokens hang below it.
create table relata.grants (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  app_id uuid not null references relata.apps on delete cascade,
  workspace_member_id uuid not null,
  scopes text[] not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, workspace_member_id) references relata.workspace_members
);

create index grants_app_id on relata.grants (app_id);

-- A consent page as it was shown to one session: what was asked, waiting for one answer.
create table relata.consents (
  token_hash bytea primary key,
  session_id uuid not null,
  app_id uuid not null references relata.apps on delete cascade,
  redirect_uri text not null,
  state text,
  scopes text[] not null,
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('S256', 'plain')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((code_challenge is null) = (code_challenge_method is null))
);

create index consents_expires_at on relata.consents (expires_at);

-- Codes are kept for a while after their use, to notice when one is presented again.
create table relata.authorization_codes (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  code_hash bytea primary key,
  app_id uuid not null references relata.apps on delete cascade,
  workspace_member_id uuid not null,
  redirect_uri text not null,
  scopes text[] not null,
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('S256', 'plain')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- What it gave.
  grant_id uuid,
  foreign key (workspace_id, workspace_member_id) references relata.workspace_members,
  foreign key (workspace_id, grant_id) references relata.grants on delete cascade,
  check ((code_challenge is null) = (code_challenge_method is null))
);

create index authorization_codes_expires_at on relata.authorization_codes (expires_at);

-- Of apps whose tokens expire. Each is good for one use, which gives the next; used again, the grant ends.
create table relata.refresh_tokens (
  workspace_id uuid not null,
  token_hash bytea primary key,
  grant_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (workspace_id, grant_id) references relata.grants on delete cascade
);

create index refresh_tokens_grant_id on relata.refresh_tokens (workspace_id, grant_id);
create index refresh_tokens_expires_at on relata.refresh_tokens (expires_at);

-- Access tokens of apps stand among the other tokens, so that one look-up by hash finds either. Null for an API key.
alter table relata.tokens
  add column grant_id uuid,
  add foreign key (workspace_id, grant_id) references relata.grants on delete cascade;

create index tokens_grant_id on relata.tokens (workspace_id, grant_id) where grant_id is not null;
