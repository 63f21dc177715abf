-- Receivers of the service itself, with which webhooks are tested.

create table relata.test_endpoints (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  name text not null,
  -- The secret part of its address.
  token text not null unique,
  -- The response.
  status int not null,
  headers jsonb not null,
  body text not null,
  delay_ms int not null,
  -- How many requests are answered with 500 first.
  fail_first int not null,
  -- The number of requests so far.
  received int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (workspace_id, id)
);

create table relata.test_requests (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  id uuid not null,
  at timestamptz not null,
  method text not null,
  -- The path below the endpoint, and the query.
  path text not null,
  headers json not null,
  body text not null,
  -- The webhook that the request names as its sender, and whether its signature is valid.
  webhook_id uuid,
  signature text not null check (signature in ('valid', 'invalid', 'absent')),
  answered_status int not null,
  -- The body, where its text does not represent all of it.
  bytes bytea,
  -- Of a request from a webhook: its event, and the list that the event names.
  event_type text,
  list_id text,
  primary key (workspace_id, endpoint_id, id),
  foreign key (workspace_id, endpoint_id) references relata.test_endpoints on delete cascade
);
