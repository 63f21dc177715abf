-- The queues of the work that follows changes of records, meetings and emails. See docs/decisions/contacts-and-interactions.md.

-- A meeting whose participants are to be linked, or people whose companies are to be found.
create table relata.contact_jobs (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  meeting_id uuid,
  record_ids uuid[],
  -- Whether many people were written at once, as by an import.
  is_bulk boolean not null,
  created_at timestamptz not null,
  -- When the next attempt is due. A worker that takes a job sets a later time, so that no other worker takes it.
  due_at timestamptz not null,
  attempts int not null default 0,
  -- The process that made the last attempt.
  worker text,
  primary key (workspace_id, id),
  foreign key (workspace_id, meeting_id) references relata.meetings on delete cascade,
  check ((meeting_id is null) <> (record_ids is null))
);

create index contact_jobs_due on relata.contact_jobs (due_at);
create index contact_jobs_of_meeting on relata.contact_jobs (workspace_id, meeting_id) where meeting_id is not null;
create index contact_jobs_bulk on relata.contact_jobs (workspace_id, created_at) where is_bulk;

create table relata.interaction_refreshes (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  record_id uuid not null,
  object_id uuid not null,
  -- When the attributes are computed next; null when nothing is expected to change.
  due_at timestamptz,
  -- When they were computed last.
  refreshed_at timestamptz,
  -- The process that made the last attempt.
  worker text,
  primary key (workspace_id, record_id),
  foreign key (workspace_id, object_id) references relata.entity_types on delete cascade
);

create index interaction_refreshes_due on relata.interaction_refreshes (workspace_id, due_at) where due_at is not null;

-- How far the feed was read for changed addresses, domains and companies.
create table relata.interaction_feeds (
  workspace_id uuid primary key references relata.workspaces on delete cascade,
  position bigint not null,
  -- When the event at the position was published.
  recorded_at timestamptz not null
);
