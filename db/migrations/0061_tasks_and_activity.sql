-- Tasks, and what the activity of a record needs.

-- The tables of links and assignees repeat the sort keys of the task, so that a page of each list of tasks is one
-- range of one index. See docs/decisions/activity-and-tasks.md.

create table relata.tasks (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  content text not null,
  deadline_at timestamptz,
  -- The nanoseconds of the deadline below the microsecond.
  deadline_ns smallint,
  is_completed boolean not null,
  completed_at timestamptz,
  -- The number of the actor.
  completed_by int,
  -- The numbers of the members' actors, in order.
  assignees int[] not null,
  created_at timestamptz not null,
  created_by int not null,
  version int not null default 1,
  primary key (workspace_id, id),
  check (is_completed = (completed_at is not null) and is_completed = (completed_by is not null))
);

create index tasks_created on relata.tasks (workspace_id, is_completed, created_at, id);
create index tasks_completed on relata.tasks (workspace_id, completed_at nulls first, created_at, id);
create index tasks_deadline on relata.tasks (workspace_id, is_completed, deadline_at, created_at, id);
create index tasks_deadline_desc
  on relata.tasks (workspace_id, is_completed, deadline_at desc nulls last, created_at desc, id desc);

-- One row for each record that a task is linked to.
create table relata.task_links (
  workspace_id uuid not null,
  task_id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  position int not null,
  linked_at timestamptz not null,
  -- The number of the actor.
  linked_by int not null,
  -- The same as in the task.
  is_completed boolean not null,
  completed_at timestamptz,
  deadline_at timestamptz,
  assignees int[] not null,
  created_at timestamptz not null,
  primary key (workspace_id, task_id, record_id),
  foreign key (workspace_id, task_id) references relata.tasks on delete cascade,
  foreign key (workspace_id, object_id) references relata.entity_types on delete cascade
);

create index task_links_created on relata.task_links (workspace_id, record_id, is_completed, created_at, task_id);
create index task_links_completed
  on relata.task_links (workspace_id, record_id, completed_at nulls first, created_at, task_id);
create index task_links_deadline
  on relata.task_links (workspace_id, record_id, is_completed, deadline_at, created_at, task_id);
create index task_links_deadline_desc on relata.task_links
  (workspace_id, record_id, is_completed, deadline_at desc nulls last, created_at desc, task_id desc);
-- For the activity of a record.
create index task_links_linked on relata.task_links (workspace_id, record_id, linked_at, task_id);

-- One row for each assignee of a task.
create table relata.task_assignees (
  workspace_id uuid not null,
  task_id uuid not null,
  -- The number of the member's actor; 0 in the only row of a task without assignees.
  assignee int not null,
  -- The same as in the task.
  is_completed boolean not null,
  completed_at timestamptz,
  deadline_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, task_id, assignee),
  foreign key (workspace_id, task_id) references relata.tasks on delete cascade
);

create index task_assignees_created on relata.task_assignees (workspace_id, assignee, is_completed, created_at, task_id);
create index task_assignees_completed
  on relata.task_assignees (workspace_id, assignee, completed_at nulls first, created_at, task_id);
create index task_assignees_deadline
  on relata.task_assignees (workspace_id, assignee, is_completed, deadline_at, created_at, task_id);
create index task_assignees_deadline_desc on relata.task_assignees
  (workspace_id, assignee, is_completed, deadline_at desc nulls last, created_at desc, task_id desc);

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

-- Ended values have the actor that ended them, and merges the actor that merged. Both are null for earlier writes.
do $$
declare
  workspace record;
begin
  for workspace in select 'w_' || number as schema from relata.workspaces loop
    execute format('alter table %I.history add column ended_by integer', workspace.schema);
    execute format('create index history_active_until on %I.history (entity_id, attribute, active_until)', workspace.schema);
    execute format('alter table %I.merges add column merged_by integer', workspace.schema);
    execute format('create index merges_new_id on %I.merges (new_id)', workspace.schema);
  end loop;
end
$$;
