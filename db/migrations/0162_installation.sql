-- The identity of the database: on which server it is and which address it serves. A process that starts compares it with what it finds.
-- On a copy they differ, and nothing is sent until a decision. See docs/decisions/database-copies.md.
create table relata.installation (
  -- The table has one row.
  id boolean primary key default true check (id),
  identity jsonb not null,
  -- The differing identity that a process found, and when. While they are set, no statement leases what is to be sent.
  found jsonb,
  held_at timestamptz,
  check ((found is null) = (held_at is null))
);
