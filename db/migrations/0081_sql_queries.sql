-- The SQL queries that members save for their workspace, and those that each member ran last.

create table relata.saved_queries (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  name text not null,
  sql text not null,
  -- Rises with every change, so that of two writers the second one notices the first.
  version int not null default 1,
  -- The author.
  member_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

create unique index saved_queries_name on relata.saved_queries (workspace_id, lower(name));
create index saved_queries_member on relata.saved_queries (workspace_id, member_id);

create table relata.query_history (
  workspace_id uuid not null,
  member_id uuid not null,
  -- Rises with time.
  id uuid not null,
  sql text not null,
  ran_at timestamptz not null,
  duration_ms int not null,
  -- The number of rows of the response; null for a query that failed.
  row_count int,
  primary key (workspace_id, member_id, id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);
