-- Teams of members, which lists and objects are shared with. SCIM calls them groups.

create table relata.teams (
  workspace_id uuid not null references relata.workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  -- The id that an identity provider gave the group.
  external_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);

create unique index teams_name on relata.teams (workspace_id, lower(name));
create index teams_created_at on relata.teams (workspace_id, created_at, id);
create index teams_external_id on relata.teams (workspace_id, external_id) where external_id is not null;

create table relata.team_members (
  workspace_id uuid not null,
  team_id uuid not null,
  member_id uuid not null,
  primary key (workspace_id, team_id, member_id),
  foreign key (workspace_id, team_id) references relata.teams (workspace_id, id) on delete cascade,
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

create index team_members_member on relata.team_members (workspace_id, member_id);

-- Invited people who join the team when they accept their invitation.
create table relata.team_invitations (
  workspace_id uuid not null,
  team_id uuid not null,
  invitation_id uuid not null,
  primary key (workspace_id, team_id, invitation_id),
  foreign key (workspace_id, team_id) references relata.teams (workspace_id, id) on delete cascade,
  foreign key (workspace_id, invitation_id) references relata.invitations (workspace_id, id) on delete cascade
);

create index team_invitations_invitation on relata.team_invitations (workspace_id, invitation_id);
