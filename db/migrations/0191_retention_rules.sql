-- After how many days without a change the records of an object are deleted. A row is also the work of the retention worker, with the
-- columns of every queue. See docs/decisions/retention.md.
create table relata.retention_rules (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  object_id uuid not null,
  days int not null check (days between 1 and 36500),
  action text not null check (action in ('trash', 'delete')),
  -- The last record that the present run has read, in the order of ids; null before the first one.
  position uuid,
  -- How many records the present run has deleted.
  deleted int not null default 0,
  -- The last run that ended, and how many records it deleted.
  ran_at timestamptz,
  ran_deleted int,
  -- When the next run is due, and while a process has the row, the end of its lease.
  due_at timestamptz,
  attempts int not null default 0,
  leased_by uuid,
  worker text,
  primary key (workspace_id, object_id),
  foreign key (workspace_id, object_id) references relata.objects (workspace_id, id) on delete cascade
);

create index retention_rules_due on relata.retention_rules (due_at) where due_at is not null;
