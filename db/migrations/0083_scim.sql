-- Verified domains, and what SCIM adds to members and invitations.

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

alter table relata.workspace_members
  -- The id that an identity provider gave the user.
  add column external_id text,
  -- Null for a member who was not updated since the creation.
  add column updated_at timestamptz,
  -- The access level before the suspension, which a reactivation restores.
  add column former_access_level text check (former_access_level in ('admin', 'member')),
  -- When an identity provider deleted the user. Lists of users leave the member out.
  add column user_deleted_at timestamptz;
create index workspace_members_created_at on relata.workspace_members (workspace_id, created_at, id);
create index workspace_members_external_id on relata.workspace_members (workspace_id, external_id)
  where external_id is not null;

alter table relata.invitations
  add column first_name text not null default '',
  add column last_name text not null default '',
  add column external_id text,
  add column updated_at timestamptz;
create index invitations_created_at on relata.invitations (workspace_id, created_at, id);

-- The ids of accepted invitations, under which identity providers still find the members.
create table relata.accepted_invitations (
  workspace_id uuid not null,
  invitation_id uuid not null,
  member_id uuid not null,
  primary key (workspace_id, invitation_id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
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
