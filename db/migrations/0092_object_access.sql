-- The access of members to an object, and the access that members of a team have instead. Admins have all access.

alter table relata.objects add column member_access text not null default 'read-write'
  check (member_access in ('read-write', 'read-only', 'hidden'));

create table relata.object_teams (
  workspace_id uuid not null,
  object_id uuid not null,
  team_id uuid not null,
  access text not null check (access in ('read-write', 'read-only', 'hidden')),
  primary key (workspace_id, object_id, team_id),
  foreign key (workspace_id, object_id) references relata.objects (workspace_id, id) on delete cascade,
  foreign key (workspace_id, team_id) references relata.teams (workspace_id, id) on delete cascade
);
create index object_teams_team on relata.object_teams (workspace_id, team_id);
