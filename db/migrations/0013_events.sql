-- What happened. A write leaves its events in the outbox, in its own transaction; a publisher moves them on and gives
-- each its position, so that whoever reads by position misses nothing, however writers overlap.

create table relata.outbox (
  -- Taken while the write holds its rows, so that writes of the same row keep their order.
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  occurred_at timestamptz not null,
  -- Who did it; an event may name another.
  actor int not null,
  -- An array of events without workspace and actor.
  events json not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_scale_factor = 1);

create sequence relata.event_positions;

create table relata.events (
  workspace_id uuid not null,
  position bigint not null,
  id uuid not null,
  event_type text not null,
  occurred_at timestamptz not null,
  -- When it was published, by the publisher's clock; what expires goes by it.
  recorded_at timestamptz not null,
  -- The event as webhooks deliver it.
  body json not null,
  primary key (workspace_id, position, recorded_at)
) partition by range (recorded_at);

-- Only what comes before the service made its first partitions.
create table relata.events_default partition of relata.events default;
