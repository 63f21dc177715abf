-- Meetings, their participants and the records that they are linked to.

-- The tables of participants and links repeat the sort keys of the meeting, so that a page of each list of meetings is a few
-- ranges of one index. See docs/decisions/meetings-and-emails.md.

create table relata.meetings (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  title text not null,
  description text not null,
  is_all_day boolean not null,
  -- The instants of the start and of the end. An all-day meeting has the beginnings of its dates in UTC; the end is exclusive.
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- IANA names; null for times without a zone and for all-day meetings.
  start_timezone text,
  end_timezone text,
  -- The meeting lasts at most 16 to the power of this number days.
  duration_class smallint not null,
  -- The hash of the caller's identity of the meeting.
  external_key text,
  created_at timestamptz not null,
  -- The number of the actor.
  created_by int not null,
  version int not null default 1,
  primary key (workspace_id, id),
  check (ends_at > starts_at)
);

create index meetings_start on relata.meetings (workspace_id, is_all_day, duration_class, starts_at, id);
create unique index meetings_external_key on relata.meetings (workspace_id, external_key) where external_key is not null;

create table relata.meeting_participants (
  workspace_id uuid not null,
  meeting_id uuid not null,
  position int not null,
  -- Normalised; once in a meeting.
  email_address text,
  name text,
  is_organizer boolean not null,
  status text not null check (status in ('accepted', 'tentative', 'declined', 'pending')),
  -- The same as in the meeting.
  is_all_day boolean not null,
  duration_class smallint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  primary key (workspace_id, meeting_id, position),
  foreign key (workspace_id, meeting_id) references relata.meetings on delete cascade,
  check (email_address is not null or name is not null)
);

create index meeting_participants_start on relata.meeting_participants
  (workspace_id, email_address, is_all_day, duration_class, starts_at, meeting_id) where email_address is not null;

-- One row for each record that a meeting is linked to.
create table relata.meeting_links (
  workspace_id uuid not null,
  meeting_id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  position int not null,
  linked_at timestamptz not null,
  -- The number of the actor.
  linked_by int not null,
  -- False for a person or a company that was matched by a participant.
  is_given boolean not null,
  -- The same as in the meeting.
  is_all_day boolean not null,
  duration_class smallint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  primary key (workspace_id, meeting_id, record_id),
  foreign key (workspace_id, meeting_id) references relata.meetings on delete cascade,
  foreign key (workspace_id, object_id) references relata.entity_types on delete cascade
);

create index meeting_links_start on relata.meeting_links
  (workspace_id, record_id, is_all_day, duration_class, starts_at, meeting_id);
-- For the activity of a record.
create index meeting_links_linked on relata.meeting_links (workspace_id, record_id, linked_at, meeting_id);
