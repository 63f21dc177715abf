-- What the deletion of records and entries leaves, and the duplicates that members dismissed. The trash itself is in the schema of
-- the workspace.

-- The workspaces that have records in the trash, and the hours in which these expire. So the worker visits no other workspace.
create table relata.trash_expiries (
  workspace_id uuid not null references relata.workspaces (id) on delete cascade,
  due_at timestamptz not null,
  primary key (workspace_id, due_at)
);

create index trash_expiries_due on relata.trash_expiries (due_at);

-- Entries that were removed from their lists, for the activity of their records. A row lives as long as the record and the list.
create table relata.removed_entries (
  workspace_id uuid not null,
  record_id uuid not null,
  list_id uuid not null,
  entry_id uuid not null,
  created_at timestamptz not null,
  -- The number of the actor.
  created_by int not null,
  removed_at timestamptz not null,
  -- The number of the actor.
  removed_by int not null,
  primary key (workspace_id, record_id, entry_id),
  foreign key (workspace_id, list_id) references relata.entity_types on delete cascade
);

create index removed_entries_created_at on relata.removed_entries (workspace_id, record_id, created_at, entry_id);
create index removed_entries_removed_at on relata.removed_entries (workspace_id, record_id, removed_at, entry_id);

-- Pairs of records that a member declared to be no duplicates of each other. The first id is the smaller one.
create table relata.dismissed_duplicates (
  workspace_id uuid not null references relata.workspaces (id) on delete cascade,
  record_id uuid not null,
  other_record_id uuid not null,
  -- The actor of the member.
  dismissed_by int not null,
  created_at timestamptz not null,
  primary key (workspace_id, record_id, other_record_id),
  foreign key (workspace_id, dismissed_by) references relata.actors (workspace_id, number),
  check (record_id < other_record_id)
);

create index dismissed_duplicates_other on relata.dismissed_duplicates (workspace_id, other_record_id);
