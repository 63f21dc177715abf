-- The recent requests of API keys and apps, which admins see at the console. See docs/decisions/recent-requests.md.

-- A row has what one process collected of one workspace in some seconds.
create table relata.recent_requests (
  workspace_id uuid not null references relata.all_workspaces on delete cascade,
  -- When it was stored.
  created_at timestamptz not null,
  id uuid not null,
  -- How many requests the row has.
  count int not null,
  -- A JSON array with an array for each request. `server/api/http/recent-requests/recent-requests.ts` names its members.
  requests text not null,
  primary key (workspace_id, created_at, id)
);
