-- Threads of comments on records and on entries.

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
  primary key (workspace_id, id),
  foreign key (workspace_id, thread_id) references relata.threads (workspace_id, id) on delete cascade,
  foreign key (workspace_id, author_id) references relata.workspace_members (workspace_id, id)
);
create index comments_of_thread on relata.comments (workspace_id, thread_id, created_at, id);
