-- What a calendar file said about a meeting when it was last imported. See docs/decisions/mail-and-calendar-files.md.
create table relata.imported_meetings (
  workspace_id uuid not null,
  meeting_id uuid not null,
  -- The hash of the event's UID, which all occurrences of a recurring event share.
  uid_hash text not null,
  -- The original start of an occurrence of a recurring event; null for any other event.
  occurs_at timestamptz,
  -- Whether an event of its own (RECURRENCE-ID) describes the occurrence.
  is_separate boolean not null,
  sequence int not null,
  -- When the event was changed last, or imported, if it has no such time.
  changed_at timestamptz not null,
  -- The hash of what the import writes to the meeting.
  content_hash text not null,
  primary key (workspace_id, meeting_id),
  foreign key (workspace_id, meeting_id) references relata.meetings on delete cascade
);

create index imported_meetings_uid on relata.imported_meetings (workspace_id, uid_hash);
