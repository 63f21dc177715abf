-- Who wants to be told of events, and where.

create table relata.webhooks (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  -- The app or API key it belongs to, as in tokens; null for one that an admin made, which belongs to the workspace.
  client_id uuid,
  -- The number of the actor who made it.
  created_by int not null,
  target_url text not null,
  -- [{"event_type", "filter"}], as sent.
  subscriptions jsonb not null,
  -- Of target and subscriptions, so that no owner has the same webhook twice.
  fingerprint text not null,
  status text not null default 'active' check (status in ('active', 'degraded', 'inactive')),
  degraded_at timestamptz,
  -- Signs what is sent, so it cannot be kept as a hash.
  secret text not null,
  -- Still valid for a while after a rotation.
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);

create unique index webhooks_fingerprint on relata.webhooks
  (workspace_id, coalesce(client_id, '00000000-0000-0000-0000-000000000000'), fingerprint);
