-- Notifications of members, and the emails about them.

create table relata.notifications (
  workspace_id uuid not null,
  member_id uuid not null,
  -- Ids rise with time, so they order the inbox.
  id uuid not null,
  kind text not null check (kind in ('mention', 'reply', 'task-assigned')),
  comment_id uuid,
  task_id uuid,
  -- The number of the actor who caused it; of a comment, that of its author.
  actor int not null,
  created_at timestamptz not null,
  read_at timestamptz,
  -- Whether a digest had it, or needs it no more.
  is_digested boolean not null default false,
  primary key (workspace_id, member_id, id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade,
  foreign key (workspace_id, comment_id) references relata.comments (workspace_id, id) on delete cascade,
  foreign key (workspace_id, task_id) references relata.tasks (workspace_id, id) on delete cascade,
  check ((kind = 'task-assigned') = (task_id is not null)),
  check ((kind = 'task-assigned') = (comment_id is null))
);
create index notifications_unread on relata.notifications (workspace_id, member_id, id) where read_at is null;
create index notifications_of_comment on relata.notifications (workspace_id, comment_id) where comment_id is not null;
create index notifications_of_task on relata.notifications (workspace_id, task_id) where task_id is not null;

-- A member's settings, and the queue of digests.
create table relata.inboxes (
  workspace_id uuid not null,
  member_id uuid not null,
  sends_digest boolean not null default true,
  -- When the next digest, or the next attempt at it, is due; null when nothing waits for one.
  due_at timestamptz,
  attempts int not null default 0,
  digested_at timestamptz,
  primary key (workspace_id, member_id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);
create index inboxes_due on relata.inboxes (due_at) where due_at is not null;
