-- Workspaces, their members and invitations, and the accounts of people.

create table relata.workspaces (
  id uuid primary key,
  -- Names the schema of the workspace, w_<number>. The slug can change, the number cannot.
  number int generated always as identity unique,
  slug text not null unique,
  name text not null,
  logo_url text,
  -- Incremented in the transaction of every change of the data model, of options, members and actors.
  data_model_version int not null default 1,
  -- The last number given to an entity type, attribute, option or actor of this workspace.
  last_number int not null default 0,
  -- Signs cursors and other values that callers return.
  secret uuid not null default gen_random_uuid(),
  -- Whether values have updated_at and updated_by. Without them, payloads are those that clients of the public v2 API expect.
  shows_updated_at boolean not null default false,
  created_at timestamptz not null,
  -- Whether the service creates people and companies from meetings and emails.
  creates_contacts boolean not null default true,
  -- What members may do beyond their role. Admins may do everything.
  member_permissions text[] not null default '{}'
    check (member_permissions <@ array['data_model', 'webhooks', 'api_keys', 'apps', 'import_definitions']),
  -- The country whose national form the console and imports accept for telephone numbers without a country code.
  default_country text check (default_country ~ '^[A-Z]{2}$')
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
  -- The id that an identity provider gave the user.
  external_id text,
  -- Null for a member who was not updated since the creation.
  updated_at timestamptz,
  -- The access level before the suspension, which a reactivation restores.
  former_access_level text check (former_access_level in ('admin', 'member')),
  -- When an identity provider deleted the user. Lists of users leave the member out.
  user_deleted_at timestamptz,
  primary key (workspace_id, id)
);

create unique index workspace_members_email_address on relata.workspace_members (workspace_id, lower(email_address));
-- An account is one person, so it is one member of a workspace.
create unique index workspace_members_account on relata.workspace_members (account_id, workspace_id);
create index workspace_members_created_at on relata.workspace_members (workspace_id, created_at, id);
create index workspace_members_external_id on relata.workspace_members (workspace_id, external_id)
  where external_id is not null;

-- Who acts, as one number, which values, history and entities store instead of a type and an id. Number 0 is the system and has no
-- row.
create table relata.actors (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  number int not null,
  type text not null check (type in ('api-token', 'workspace-member', 'app')),
  id uuid not null,
  primary key (workspace_id, number),
  unique (workspace_id, type, id)
);

-- A row exists until its invitation is accepted, revoked or replaced by a newer one.
create table relata.invitations (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  email_address text not null,
  access_level text not null check (access_level in ('admin', 'member')),
  token_hash bytea not null unique,
  invited_by_workspace_member_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  first_name text not null default '',
  last_name text not null default '',
  -- The id that an identity provider gave the user.
  external_id text,
  updated_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, invited_by_workspace_member_id) references relata.workspace_members
);

create unique index invitations_email_address on relata.invitations (workspace_id, lower(email_address));
create index invitations_created_at on relata.invitations (workspace_id, created_at, id);

-- The ids of accepted invitations, under which identity providers still find the members.
create table relata.accepted_invitations (
  workspace_id uuid not null,
  invitation_id uuid not null,
  member_id uuid not null,
  primary key (workspace_id, invitation_id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

-- Verified domains.
create table relata.domains (
  workspace_id uuid not null references relata.workspaces (id) on delete cascade,
  id uuid not null,
  -- In lower case, with international names in their ASCII form.
  domain text not null,
  -- The text of the DNS record that proves the control of the domain.
  proof text not null,
  created_at timestamptz not null,
  verified_at timestamptz,
  primary key (workspace_id, id),
  unique (workspace_id, domain)
);

-- The last requests to SCIM of each workspace, without bodies and secrets.
create table relata.scim_requests (
  workspace_id uuid not null references relata.workspaces (id) on delete cascade,
  id uuid not null,
  method text not null,
  -- With the query, shortened.
  path text not null,
  status int not null,
  -- The text of the error; null after success.
  detail text,
  user_agent text,
  duration_ms int not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);
