-- Receivers of our own, to try webhooks with nothing deployed.

create table relata.test_endpoints (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  name text not null,
  -- Its address; whoever knows it may send to it.
  token text not null unique,
  -- What it answers.
  status int not null,
  headers jsonb not null,
  body text not null,
  delay_ms int not null,
  -- So many requests are answered with 500 first.
  fail_first int not null,
  -- Requests so far.
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
  -- Path below the endpoint, and query.
  path text not null,
  headers json not null,
  body text not null,
  -- The webhook whose message it says it is, and whether its signature is right.
  webhook_id uuid,
  signature text not null check (signature in ('valid', 'invalid', 'absent')),
  answered_status int not null,
  primary key (workspace_id, endpoint_id, id),
  foreign key (workspace_id, endpoint_id) references relata.test_endpoints on delete cascade
);
