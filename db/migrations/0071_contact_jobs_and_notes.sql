-- The queue of contacts: people and companies that the service creates and links beside requests.
-- See docs/decisions/contacts-and-interactions.md.

-- Existing workspaces begin without it, so that an upgrade creates no records.
alter table relata.workspaces add column creates_contacts boolean not null default false;
alter table relata.workspaces alter column creates_contacts set default true;

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
  primary key (workspace_id, id),
  foreign key (workspace_id, meeting_id) references relata.meetings on delete cascade,
  check ((meeting_id is null) <> (record_ids is null))
);

create index contact_jobs_due on relata.contact_jobs (due_at);
create index contact_jobs_of_meeting on relata.contact_jobs (workspace_id, meeting_id) where meeting_id is not null;
create index contact_jobs_bulk on relata.contact_jobs (workspace_id, created_at) where is_bulk;

-- A note of a meeting that is deleted stays.
alter table relata.notes add foreign key (workspace_id, meeting_id) references relata.meetings on delete set null (meeting_id);
create index notes_of_meeting on relata.notes (workspace_id, meeting_id) where meeting_id is not null;
