-- The recent requests of API keys and apps, which admins see at the console. See docs/decisions/recent-requests.md.

create table relata.recent_requests (
  workspace_id uuid not null references relata.all_workspaces on delete cascade,
  -- When the request was answered.
  created_at timestamptz not null,
  id uuid not null,
  -- Of the app or API key.
  client_id uuid not null,
  method text not null,
  -- The path of the operation, with the names of its parameters in place of their values.
  path text not null,
  status int not null,
  -- Of an error.
  code text,
  -- The unknown members and parameters, as the header Relata-Ignored names them.
  ignored text,
  duration_ms int not null,
  primary key (workspace_id, created_at, id)
);
