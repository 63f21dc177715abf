-- Clients that registered themselves belong to no workspace. See docs/decisions/assistants.md.
alter table relata.apps alter column workspace_id drop not null;
create index apps_registered on relata.apps (workspace_id, created_at) where workspace_id is null;

-- The part of the service for which a token was requested; null for all of it.
alter table relata.consents add column resource text check (resource = 'mcp');
alter table relata.authorization_codes add column resource text check (resource = 'mcp');
alter table relata.grants add column resource text check (resource = 'mcp');
alter table relata.tokens add column resource text check (resource = 'mcp');

-- The calls of tools by assistants, without arguments and results.
create table relata.tool_calls (
  workspace_id uuid not null references relata.workspaces (id) on delete cascade,
  created_at timestamptz not null,
  id uuid not null,
  -- Of the app or API key.
  actor int not null,
  tool text not null,
  -- The slug of the object or list, and the id of the record or entry.
  subject text,
  subject_id text,
  -- The HTTP status of the operation; 499 for a call that the client cancelled.
  status int not null,
  duration_ms int not null,
  primary key (workspace_id, created_at, id),
  foreign key (workspace_id, actor) references relata.actors (workspace_id, number)
);
