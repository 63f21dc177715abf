-- Updates and deletions of all records or entries that match a filter. See docs/decisions/jobs.md.
create table relata.jobs (
  workspace_id uuid not null references relata.workspaces (id) on delete cascade,
  id uuid not null,
  -- An object or a list. A deleted one ends the job, and the job stays.
  entity_type_id uuid not null,
  kind text not null check (kind in ('object', 'list')),
  -- Who writes, with which access.
  actor int not null,
  member_id uuid not null,
  -- The app or API key; null for a member at the console.
  client_id uuid,
  scopes text[] not null,
  -- Both name attributes by their ids.
  filter jsonb not null,
  operation jsonb not null,
  status text not null check (status in ('running', 'completed', 'failed', 'cancelled')),
  -- How many matched when the job was created.
  total int not null,
  done int not null default 0,
  failed int not null default 0,
  -- The first failures: ids and error bodies.
  errors jsonb not null default '[]',
  -- Why a failed job ended.
  failure text,
  -- Creation time and id of the last entity whose result is counted.
  position jsonb,
  -- The batch after it, whose results are not counted yet: the number of its entities, and creation time and id of the last.
  batch jsonb,
  created_at timestamptz not null,
  -- When its last batch was written. A cancelled job can still be leased.
  ended_at timestamptz,
  -- When a process may work on it. Jobs take turns: at the end of a turn, this becomes the present time.
  due_at timestamptz not null,
  leased_by uuid,
  leased_until timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, actor) references relata.actors (workspace_id, number)
);
create index jobs_due on relata.jobs (due_at) where ended_at is null;
create index jobs_newest on relata.jobs (workspace_id, created_at desc, id desc);
create index jobs_ended on relata.jobs (ended_at) where ended_at is not null;
