-- Change events. A write inserts its events into an outbox in its own transaction. A publisher moves them to the feed and gives each
-- its position, so a reader by position misses no event, however writers overlap.

-- The outbox of everything but records and entries, which use the one in the schema of their workspace.
create table relata.outbox (
  -- Assigned while the write has locked its rows, so that writes of the same row keep their order.
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  occurred_at timestamptz not null,
  -- The number of the actor; an event may name another.
  actor int not null,
  -- An array of events without workspace and actor.
  events json not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_scale_factor = 1);

-- The events wait for some milliseconds in the outbox; compressing them takes longer than it saves.
alter table relata.outbox alter column events set storage external;

-- The processes that may have written events to the outbox of a workspace. A process registers before it writes.
create table relata.outbox_writers (
  workspace_id uuid not null,
  -- The application name of the connections of the process.
  process text not null,
  -- Whether the process publishes what it writes. A command does not.
  is_publishing boolean not null,
  -- The process renews its registration before it writes after this time.
  registered_until timestamptz not null,
  primary key (workspace_id, process)
);

create sequence relata.event_positions;

-- The feed.
create table relata.events (
  workspace_id uuid not null,
  position bigint not null,
  id uuid not null,
  event_type text not null,
  occurred_at timestamptz not null,
  -- When it was published, by the publisher's clock. It decides when the event expires.
  recorded_at timestamptz not null,
  -- The event as webhooks deliver it.
  body json not null,
  primary key (workspace_id, position, recorded_at)
) partition by range (recorded_at);

-- Events before the first partition.
create table relata.events_default partition of relata.events default;
