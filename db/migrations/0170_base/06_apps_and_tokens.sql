-- Apps, what members granted them, and the tokens of API clients. Secrets, codes and tokens are stored as SHA-256 hashes;
-- `hint` is the end of a secret, by which a person recognises it. See docs/reference/access-and-oauth.md.

-- An app belongs to one workspace and may be installed in others, so its id alone names it: it is the client_id.
create table relata.apps (
  id uuid primary key,
  -- Null for a client that registered itself. See docs/decisions/assistants.md.
  workspace_id uuid references relata.workspaces on delete cascade,
  name text not null,
  description text,
  developer_name text,
  website_url text,
  logo_url text,
  -- A public app runs where a secret could be read. It has none, and must use PKCE.
  is_public boolean not null,
  -- Whether other workspaces than its own may install it.
  is_published boolean not null,
  redirect_uris text[] not null,
  scopes text[] not null,
  allows_plain_pkce boolean not null,
  -- Whether its tokens expire and are refreshed. Otherwise they are valid until revoked.
  uses_refresh_tokens boolean not null,
  created_at timestamptz not null
);

create index apps_workspace_id on relata.apps (workspace_id);
create index apps_registered on relata.apps (workspace_id, created_at) where workspace_id is null;

-- An app has several secrets at once, so that a new one is in use before the old one is deleted.
create table relata.app_secrets (
  app_id uuid not null references relata.apps on delete cascade,
  id uuid not null,
  secret_hash bytea not null,
  hint text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (app_id, id)
);

-- The consent of a member: what an app may do in a workspace. All tokens of the app there belong to a grant.
create table relata.grants (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  app_id uuid not null references relata.apps on delete cascade,
  workspace_member_id uuid not null,
  scopes text[] not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  resource text check (resource = 'mcp'),
  primary key (workspace_id, id),
  foreign key (workspace_id, workspace_member_id) references relata.workspace_members
);

create index grants_app_id on relata.grants (app_id);

-- The request that a consent page shows to one session, until its answer.
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
  -- The part of the service for which a token was requested; null for all of it.
  resource text check (resource = 'mcp'),
  check ((code_challenge is null) = (code_challenge_method is null))
);

create index consents_expires_at on relata.consents (expires_at);

-- Codes are kept for a while after their use, to detect that one is presented again.
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
  -- The grant that the code was exchanged for.
  grant_id uuid,
  resource text check (resource = 'mcp'),
  foreign key (workspace_id, workspace_member_id) references relata.workspace_members,
  foreign key (workspace_id, grant_id) references relata.grants on delete cascade,
  check ((code_challenge is null) = (code_challenge_method is null))
);

create index authorization_codes_expires_at on relata.authorization_codes (expires_at);

-- Each refresh token is valid for one use, which returns the next one. A second use ends the grant.
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

-- API keys and access tokens, in one table, so that one look-up by hash finds either.
create table relata.tokens (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  name text not null,
  token_hash bytea not null unique,
  hint text not null,
  scopes text[] not null,
  client_id uuid not null,
  actor int not null,
  authorized_by_workspace_member_id uuid not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- The grant of an app's access token; null for an API key.
  grant_id uuid,
  resource text check (resource = 'mcp'),
  primary key (workspace_id, id),
  foreign key (workspace_id, authorized_by_workspace_member_id) references relata.workspace_members,
  foreign key (workspace_id, actor) references relata.actors,
  foreign key (workspace_id, grant_id) references relata.grants on delete cascade
);

create index tokens_grant_id on relata.tokens (workspace_id, grant_id) where grant_id is not null;
-- The API keys of a client, for the rights of its webhooks.
create index tokens_client_id on relata.tokens (workspace_id, client_id) where grant_id is null and revoked_at is null;

-- The calls of tools by assistants, without arguments and results.
create table relata.tool_calls (
  workspace_id uuid not null references relata.workspaces (id) on delete cascade,
  created_at timestamptz not null,
  id uuid not null,
  -- Of the app or API key.
  actor int not null,
  tool text not null,
  -- The slug of the object or list, and the id of the record or entry.
  subject text,
  subject_id text,
  -- The HTTP status of the operation; 499 for a call that the client cancelled.
  status int not null,
  duration_ms int not null,
  primary key (workspace_id, created_at, id),
  foreign key (workspace_id, actor) references relata.actors (workspace_id, number)
);
