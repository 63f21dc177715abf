-- The queue of records whose interaction attributes are computed. See docs/decisions/contacts-and-interactions.md.

create table relata.interaction_refreshes (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  record_id uuid not null,
  object_id uuid not null,
  -- When the attributes are computed next; null when nothing is expected to change.
  due_at timestamptz,
  -- When they were computed last.
  refreshed_at timestamptz,
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

-- For the first, the last and the next meeting of an address. Lists of meetings have an index of their own, by class of duration. Its
-- order is the other one for meetings of one time, so that PostgreSQL does not read lists from this index.
create index meeting_participants_address on relata.meeting_participants
  (workspace_id, email_address, starts_at desc, meeting_id) where email_address is not null;
