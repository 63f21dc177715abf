-- Threads of comments on records and entries, and the notifications of members with the emails about them.

create table relata.threads (
  workspace_id uuid not null references relata.workspaces (id) on delete cascade,
  id uuid not null,
  -- The record; for a thread on an entry, the parent record of the entry.
  object_id uuid not null,
  record_id uuid not null,
  list_id uuid,
  entry_id uuid,
  -- The time of the first comment.
  created_at timestamptz not null,
  resolved_at timestamptz,
  -- The number of the actor.
  resolved_by int,
  primary key (workspace_id, id),
  foreign key (workspace_id, object_id) references relata.entity_types (workspace_id, id) on delete cascade,
  foreign key (workspace_id, list_id) references relata.entity_types (workspace_id, id) on delete cascade,
  check ((list_id is null) = (entry_id is null)),
  check ((resolved_at is null) = (resolved_by is null))
);

create index threads_of_record on relata.threads (workspace_id, record_id, created_at, id) where entry_id is null;
create index threads_of_entry on relata.threads (workspace_id, entry_id, created_at, id) where entry_id is not null;
-- Merging and deleting a record concerns the threads on its entries too.
create index threads_of_parent on relata.threads (workspace_id, record_id);
-- Deleting an object or a list deletes its threads.
create index threads_of_object on relata.threads (workspace_id, object_id);
create index threads_of_list on relata.threads (workspace_id, list_id) where list_id is not null;

create table relata.comments (
  workspace_id uuid not null,
  id uuid not null,
  thread_id uuid not null,
  -- The member who is shown as the author.
  author_id uuid not null,
  -- An array of texts, and of {"member": id} where a member is mentioned.
  content jsonb not null,
  created_at timestamptz not null,
  -- The record and the list of the thread, so that the comments of a record are one range of an index.
  -- See docs/decisions/activity-and-tasks.md.
  record_id uuid not null,
  list_id uuid,
  primary key (workspace_id, id),
  foreign key (workspace_id, thread_id) references relata.threads (workspace_id, id) on delete cascade,
  foreign key (workspace_id, author_id) references relata.workspace_members (workspace_id, id)
);

create index comments_of_thread on relata.comments (workspace_id, thread_id, created_at, id);
create index comments_of_record on relata.comments (workspace_id, record_id, created_at, id) include (list_id);

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
  -- Whether a digest had it, or does not need it any more.
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
  -- When the next digest, or the next attempt at it, is due; null if no notification is pending.
  due_at timestamptz,
  attempts int not null default 0,
  digested_at timestamptz,
  -- The process that made the last attempt.
  worker text,
  primary key (workspace_id, member_id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

create index inboxes_due on relata.inboxes (due_at) where due_at is not null;
