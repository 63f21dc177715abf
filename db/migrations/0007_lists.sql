-- Lists. Their attributes hang below their owner row; their entries live in table l_<number>.

create table relata.lists (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  -- The object whose records the entries stand for.
  parent_object_id uuid not null,
  -- What every member of the workspace may do; null for a private list.
  workspace_access text check (workspace_access in ('full-access', 'read-and-write', 'read-only')),
  -- The actor, by number.
  created_by int not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, id) references relata.owners on delete cascade,
  foreign key (workspace_id, parent_object_id) references relata.objects deferrable initially deferred
);

-- What single members may do, beside what the workspace may.
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
