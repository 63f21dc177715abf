-- Webhooks, their deliveries and the attempts to make them.

create table relata.webhooks (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  -- The app or API key that owns it, as in `tokens`; null for one of the workspace, which an admin created.
  client_id uuid,
  -- The number of the actor who created it.
  created_by int not null,
  target_url text not null,
  -- [{"event_type", "filter"}], as sent.
  subscriptions jsonb not null,
  -- The hash of target and subscriptions, so that a client does not have the same webhook twice.
  fingerprint text not null,
  status text not null default 'active' check (status in ('active', 'degraded', 'inactive')),
  degraded_at timestamptz,
  -- Signs the requests, so it cannot be stored as a hash.
  secret text not null,
  -- Valid for a while after a rotation.
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  -- When the next of its deliveries is due; null when none is pending.
  due_at timestamptz,
  -- The lease: the process that sends its deliveries, and until when.
  leased_by uuid,
  leased_until timestamptz,
  -- How many attempts have failed since the last that succeeded.
  failures int not null default 0,
  -- No pending delivery is older than this. So reads of them leave out older partitions.
  waiting_since timestamptz not null default '-infinity',
  -- The number of the actor who last changed subscriptions or target. The webhook gets the events that this actor may see.
  saved_by int not null,
  primary key (workspace_id, id)
);

create unique index webhooks_fingerprint on relata.webhooks
  (workspace_id, coalesce(client_id, '00000000-0000-0000-0000-000000000000'), fingerprint);
create index webhooks_due on relata.webhooks (due_at) where due_at is not null;

-- The queue of emails about webhooks that fail. Its constraints have an earlier name of the table.
create table relata.webhook_alerts (
  workspace_id uuid not null,
  id bigint generated always as identity (sequence name relata.webhook_notices_id_seq),
  webhook_id uuid not null,
  -- The new status of the webhook, and when it changed.
  status text not null constraint webhook_notices_status_check check (status in ('degraded', 'inactive')),
  at timestamptz not null,
  -- When the next attempt is due. A worker that takes the alert sets a later time, so that no other worker takes it.
  due_at timestamptz not null,
  attempts int not null default 0,
  -- The process that made the last attempt.
  worker text,
  constraint webhook_notices_pkey primary key (workspace_id, id),
  constraint webhook_notices_workspace_id_webhook_id_fkey foreign key (workspace_id, webhook_id) references relata.webhooks on delete cascade
);

create table relata.deliveries (
  workspace_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  -- The order of first attempts: the position of the event, or 0 for a delivery that is sent at once.
  position bigint not null,
  event_id uuid,
  event_type text not null,
  -- The record that the event names, if any.
  record_id uuid,
  kind text not null check (kind in ('event', 'test')),
  -- The same in all attempts.
  idempotency_key uuid not null,
  -- The bytes that are signed and sent.
  body text not null,
  status text not null default 'waiting' check (status in ('waiting', 'succeeded', 'failed', 'dropped')),
  attempts int not null default 0,
  -- When the next attempt is due; null if there is none.
  due_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- The list that the event names; null for other events.
  list_id text,
  -- A hash of the rights that the viewers of the webhook had when a test event was made. Null for other events.
  rights text,
  primary key (webhook_id, id, created_at)
) partition by range (created_at);

create index deliveries_first on relata.deliveries (webhook_id, position, id) where due_at is not null and attempts = 0;
create index deliveries_again on relata.deliveries (webhook_id, due_at) where due_at is not null and attempts > 0;

create table relata.deliveries_default partition of relata.deliveries default;

create table relata.delivery_attempts (
  workspace_id uuid not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  -- The first attempt has number 1.
  number int not null,
  at timestamptz not null,
  duration_ms int not null,
  -- Null without a response.
  status_code int,
  -- Why there was no response, or none in time; null if there was one.
  problem_code text,
  problem text,
  address text,
  request_headers json not null,
  response_headers json not null,
  -- The beginning of the response's body.
  response_body text not null,
  primary key (delivery_id, number, at)
) partition by range (at);

-- The statistics of a webhook count its attempts by their own time. The last
-- retries of a delivery are made three days after it.
create index delivery_attempts_of_webhook on relata.delivery_attempts (webhook_id, at);

create table relata.delivery_attempts_default partition of relata.delivery_attempts default;
