-- The installation: where its database is, which processes run, and from when on its logs are complete.

create schema if not exists relata;

-- The identity of the database: on which server it is and which address it serves. A process that starts compares it with what it
-- finds. On a copy they differ, and nothing is sent until a decision. See docs/decisions/database-copies.md.
create table relata.installation (
  -- The table has one row.
  id boolean primary key default true check (id),
  identity jsonb not null,
  -- The differing identity that a process found, and when. While they are set, no statement leases what is to be sent.
  found jsonb,
  held_at timestamptz,
  check ((found is null) = (held_at is null))
);

-- The processes whose leases end when they are dead, by the name of their connections.
create table relata.workers (name text primary key);

-- The time from which on the rows of a table that expires are complete.
create table relata.kept_since (
  table_name text primary key,
  since timestamptz not null
);
