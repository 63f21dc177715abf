-- Letters to be written to those whose webhooks fail, and what came to test endpoints that is no text.

create table relata.webhook_notices (
  workspace_id uuid not null,
  id bigint generated always as identity,
  webhook_id uuid not null,
  -- What it has become, and when.
  status text not null check (status in ('degraded', 'inactive')),
  at timestamptz not null,
  -- When a process may take it on; whoever does puts this off for as long as writing a letter may take.
  due_at timestamptz not null,
  attempts int not null default 0,
  primary key (workspace_id, id),
  foreign key (workspace_id, webhook_id) references relata.webhooks on delete cascade
);

-- The body as it came, where its text does not say all of it.
alter table relata.test_requests add column bytes bytea;
