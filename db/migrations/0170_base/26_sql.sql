-- SQL of API callers, and the queries that members save.

-- The types of the columns that SQL of API callers reads. The roles of workspaces may name them, and nothing else here.
create schema relata_sql;
create type relata_sql.record_reference as (entity_definition_id uuid, entity_instance_id uuid);
create type relata_sql.personal_name as (first_name text, last_name text, full_name text);
create type relata_sql.location as (
  line_1 text,
  line_2 text,
  line_3 text,
  line_4 text,
  locality text,
  region text,
  postcode text,
  country_code text,
  latitude text,
  longitude text
);
create type relata_sql.actor_reference as (actor_type text, actor_id uuid);
create type relata_sql.interaction as (interaction_type text, interacted_at timestamptz, owner_actor_id uuid);
grant usage on schema relata_sql to public;

create table relata.saved_queries (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  name text not null,
  sql text not null,
  -- Incremented by every change, so that the second of two writers detects the first.
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
  -- Ordered by time.
  id uuid not null,
  sql text not null,
  ran_at timestamptz not null,
  duration_ms int not null,
  -- The number of rows of the response; null for a query that failed.
  row_count int,
  primary key (workspace_id, member_id, id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);
