-- Lists and saved views. The attributes of a list belong to its entity type; its entries are in table l_<number>.

create table relata.lists (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  -- The object of the parent records of the entries.
  parent_object_id uuid not null,
  -- What every member of the workspace may do; null for a private list.
  workspace_access text check (workspace_access in ('full-access', 'read-and-write', 'read-only')),
  -- The actor, by number.
  created_by int not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, id) references relata.entity_types on delete cascade,
  foreign key (workspace_id, parent_object_id) references relata.objects deferrable initially deferred
);

-- The access of single members, in addition to that of all members.
create table relata.list_members (
  workspace_id uuid not null,
  list_id uuid not null,
  workspace_member_id uuid not null,
  position int not null,
  level text not null check (level in ('full-access', 'read-and-write', 'read-only')),
  primary key (workspace_id, list_id, workspace_member_id),
  foreign key (workspace_id, list_id) references relata.lists on delete cascade,
  foreign key (workspace_id, workspace_member_id) references relata.workspace_members
    deferrable initially deferred
);

-- The access of teams, in addition to that of all members.
create table relata.list_teams (
  workspace_id uuid not null,
  list_id uuid not null,
  team_id uuid not null,
  level text not null check (level in ('full-access', 'read-and-write', 'read-only')),
  primary key (workspace_id, list_id, team_id),
  foreign key (workspace_id, list_id) references relata.lists (workspace_id, id) on delete cascade,
  foreign key (workspace_id, team_id) references relata.teams (workspace_id, id) on delete cascade
);

create index list_teams_team on relata.list_teams (workspace_id, team_id);

create table relata.views (
  workspace_id uuid not null,
  entity_type_id uuid not null,
  id uuid not null,
  title text not null,
  type text not null check (type in ('table', 'board')),
  -- As in the body of a query, with attributes by id.
  filter jsonb not null,
  sorts jsonb not null,
  -- Ids of attributes, in order; null for all.
  visible_attributes jsonb,
  is_archived boolean not null default false,
  created_at timestamptz not null,
  -- {"attribute": id, "sum_attribute": id or null} of a board; null for a table.
  board jsonb,
  -- The member who alone sees a personal view; null for a shared one.
  member_id uuid,
  primary key (workspace_id, entity_type_id, id),
  constraint views_workspace_id_owner_id_fkey foreign key (workspace_id, entity_type_id) references relata.entity_types on delete cascade,
  foreign key (workspace_id, member_id) references relata.workspace_members on delete cascade
);

-- The views that members pin to their navigation.
create table relata.view_pins (
  workspace_id uuid not null,
  member_id uuid not null,
  entity_type_id uuid not null,
  view_id uuid not null,
  created_at timestamptz not null,
  primary key (workspace_id, member_id, view_id),
  foreign key (workspace_id, member_id) references relata.workspace_members on delete cascade,
  foreign key (workspace_id, entity_type_id, view_id) references relata.views on delete cascade
);

create index view_pins_view on relata.view_pins (workspace_id, entity_type_id, view_id);
