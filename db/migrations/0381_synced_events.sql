-- The events of CalDAV calendars that were read, so that only changed ones are read again. See docs/decisions/connected-calendars.md.

create table relata.synced_events (
  workspace_id uuid not null,
  account_id uuid not null,
  -- The number of the calendar in the account's `sync_state`.
  calendar int not null,
  -- The hash of the path at the server.
  event_key text not null,
  -- Empty for an event that is to be read again.
  etag text not null,
  primary key (workspace_id, account_id, calendar, event_key),
  foreign key (workspace_id, account_id) references relata.connected_accounts on delete cascade
);
