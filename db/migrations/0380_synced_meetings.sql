-- The meetings that connected calendars have. A meeting without a row is not theirs alone, and everybody who reads meetings sees it. See
-- docs/decisions/connected-calendars.md.

create table relata.synced_meetings (
  workspace_id uuid not null,
  meeting_id uuid not null,
  account_id uuid not null,
  -- The number of the calendar in the account's `sync_state`.
  calendar int not null,
  -- What names the event in the calendar: the hash of its path at a CalDAV server, or of its UID in an ICS file.
  event_key text not null,
  primary key (workspace_id, meeting_id, account_id, calendar, event_key),
  foreign key (workspace_id, meeting_id) references relata.meetings on delete cascade,
  -- Without `cascade`: a meeting whose rows were deleted with an account would become visible to everybody.
  foreign key (workspace_id, account_id) references relata.connected_accounts
);

create index synced_meetings_event on relata.synced_meetings (workspace_id, account_id, calendar, event_key, meeting_id);
