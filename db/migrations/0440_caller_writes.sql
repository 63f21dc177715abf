-- Stores when each caller wrote last, so that its reads find its writes on a replica or run on the primary. See docs/decisions/replica.md.

create table relata.caller_writes (
  workspace_id uuid not null references relata.all_workspaces on delete cascade,
  caller text not null,
  written_at timestamptz not null,
  primary key (workspace_id, caller)
-- A row is updated in its page for as long as no index has the time.
) with (fillfactor = 50);
