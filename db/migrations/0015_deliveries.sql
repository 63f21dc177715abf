-- What webhooks are to be told, whether they were, and every attempt at it.

alter table relata.webhooks
  -- When the next of its deliveries is due; null when none waits.
  add column due_at timestamptz,
  -- The process that is sending its deliveries, until when unless it says so again.
  add column leased_by uuid,
  add column leased_until timestamptz,
  -- How many attempts have failed since the last that succeeded.
  add column failures int not null default 0;

create index webhooks_due on relata.webhooks (due_at) where due_at is not null;

create table relata.deliveries (
  workspace_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  -- First attempts are made in this order: the event's position, or 0 for what does not wait its turn.
  position bigint not null,
  event_id uuid,
  event_type text not null,
  -- The record the event is about, if it is about one.
  record_id uuid,
  kind text not null check (kind in ('event', 'test')),
  -- The same for all attempts.
  idempotency_key uuid not null,
  -- The bytes that are signed and sent.
  body text not null,
  status text not null default 'waiting' check (status in ('waiting', 'succeeded', 'failed', 'dropped')),
  attempts int not null default 0,
  -- Of the next attempt; null when there is none.
  due_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (webhook_id, id, created_at)
) partition by range (created_at);

create index deliveries_first on relata.deliveries (webhook_id, position, id) where due_at is not null and attempts = 0;
create index deliveries_again on relata.deliveries (webhook_id, due_at) where due_at is not null and attempts > 0;

create table relata.deliveries_default partition of relata.deliveries default;

create table relata.delivery_attempts (
  workspace_id uuid not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  -- 1 for the first.
  number int not null,
  at timestamptz not null,
  duration_ms int not null,
  -- Null when no answer came.
  status_code int,
  -- Why there was no answer, or none in time; null when the status says it all.
  problem_code text,
  problem text,
  address text,
  request_headers json not null,
  response_headers json not null,
  -- Its beginning.
  response_body text not null,
  primary key (delivery_id, number, at)
) partition by range (at);

create table relata.delivery_attempts_default partition of relata.delivery_attempts default;
