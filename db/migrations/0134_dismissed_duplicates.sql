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
